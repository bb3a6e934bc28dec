import { useEffect, useRef } from 'preact/hooks';
import { memo } from '../../ui/memo';
import { Probability } from '../../ui/Probability';

export interface StepTableProps {
  readonly caption: string;
  readonly states: readonly string[];
  /** The columns to show, by codes of states. */
  readonly columns: readonly number[];
  readonly symbols: readonly string[];
  readonly rows: readonly (readonly number[])[];
  readonly exact: readonly (readonly string[])[] | null;
  readonly path: readonly number[] | null;
  readonly at: number;
  readonly onGo: (k: number) => void;
}

/** A table of the run: a row for each prefix, a column for each state. */
export function StepTable({ caption, states, columns, symbols, rows, exact, path, at, onGo }: StepTableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    const row = body.current?.children[at];
    const box = body.current?.closest('.scroll');
    if (!(row instanceof HTMLElement) || !box) return;
    const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
    if (top < box.scrollTop + 40) box.scrollTop = top - 40;
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
  }, [at, rows.length]);
  return (
    <div class="scroll step-table">
      <table class="table" aria-label={caption}>
        <thead>
          <tr>
            <th scope="col" class="right">
              k
            </th>
            <th scope="col">read</th>
            {columns.map((s) => (
              <th key={s} scope="col" class="right">
                {states[s]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row, k) => (
            <StepRow key={k} k={k} symbol={symbols[k - 1] ?? ''} row={row} exact={exact?.[k]} columns={columns} marked={path?.[k]} current={k === at} onGo={onGo} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface StepRowProps {
  readonly k: number;
  readonly symbol: string;
  readonly row: readonly number[];
  readonly exact: readonly string[] | undefined;
  readonly columns: readonly number[];
  readonly marked: number | undefined;
  readonly current: boolean;
  readonly onGo: (k: number) => void;
}

const StepRow = memo(function StepRow({ k, symbol, row, exact, columns, marked, current, onGo }: StepRowProps) {
  return (
    <tr data-clickable aria-current={current} onClick={() => onGo(k)}>
      <td class="right muted">{k}</td>
      <td>{k > 0 && <span class="word">{symbol}</span>}</td>
      {columns.map((s) => (
        <td key={s} class={marked === s ? 'right step-table__path' : 'right'} data-value={row[s]} style={{ '--heat': `${Math.round(45 * Math.min(1, row[s] ?? 0))}%` }}>
          <span class="step-table__value">
            <Probability value={row[s] ?? 0} exact={exact?.[s]} />
          </span>
        </td>
      ))}
    </tr>
  );
});
