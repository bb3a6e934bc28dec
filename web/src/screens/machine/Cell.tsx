import { useRef, useState } from 'preact/hooks';
import type { Draft, Entry } from '../../bridge/contract';
import { useWorkspace } from '../../state/workspace';

export interface CellProps {
  readonly value: Entry;
  readonly label: string;
  /** The draft with another text in this cell. */
  readonly change: (text: string) => Draft;
  readonly bad?: boolean | undefined;
  readonly describedBy?: string | undefined;
  readonly wide?: boolean;
  readonly zero?: boolean;
}

/** A cell of a table: keeps what is typed as it is typed; a float is shown in short until the cell is entered. Arrow keys up and down and Enter go to the cells around it. */
export function Cell({ value, label, change, bad, describedBy, wide, zero }: CellProps) {
  const space = useWorkspace();
  const typing = useRef(false);
  const [focused, setFocused] = useState(false);
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
    const step = event.key === 'ArrowDown' || event.key === 'Enter' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    neighbor(event.currentTarget, step)?.select();
  };
  return (
    <input
      class={`cell${wide ? ' cell--wide' : ''}${zero ? ' cell--zero' : ''}`}
      value={focused || typeof value === 'string' ? String(value) : String(Number(value.toPrecision(5)))}
      title={typeof value === 'number' ? String(value) : undefined}
      size={1}
      spellcheck={false}
      autocomplete="off"
      aria-label={label}
      aria-invalid={bad || undefined}
      aria-describedby={describedBy}
      onFocus={(event) => {
        typing.current = false;
        setFocused(true);
        event.currentTarget.value = String(value);
        event.currentTarget.select();
      }}
      onBlur={() => setFocused(false)}
      onInput={(event) => {
        // One step of undo for one entry; after an undo, what is typed is a new step.
        space.edit(change(event.currentTarget.value), typing.current && !space.past.value.future.length);
        typing.current = true;
      }}
      onKeyDown={onKeyDown}
    />
  );
}

/** The cell above or below in the same column of the table. */
function neighbor(input: HTMLInputElement, step: number): HTMLInputElement | null {
  const cell = input.closest('td');
  const row = cell?.parentElement;
  if (!cell || !row) return null;
  const column = [...row.children].indexOf(cell);
  const rows = [...(row.parentElement?.querySelectorAll<HTMLElement>('tr[data-row]') ?? [])];
  const next = rows[rows.indexOf(row) + step];
  return next?.children[column]?.querySelector('input') ?? null;
}
