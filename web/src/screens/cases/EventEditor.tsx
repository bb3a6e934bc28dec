import { useState } from 'preact/hooks';
import type { Name } from '../../bridge/contract';
import { label } from '../../state/draft';
import { Cross } from '../../ui/icons';

/** The events of a case, to change: what if it had gone otherwise? */
export function EventEditor({ word, symbols, changed, onChange, onReset }: { word: readonly Name[]; symbols: readonly Name[]; changed: boolean; onChange: (word: Name[]) => void; onReset: () => void }) {
  const [place, setPlace] = useState<number | null>(null);
  const put = (i: number, text: string) => {
    const symbol = symbols[Number(text)];
    if (symbol !== undefined) onChange(word.map((old, j) => (j === i ? symbol : old)));
    setPlace(null);
  };
  const add = (text: string) => {
    const symbol = symbols[Number(text)];
    if (symbol !== undefined) onChange([...word, symbol]);
  };
  const move = (i: number, by: number) => {
    const [from, to] = [word[i], word[i + by]];
    if (from === undefined || to === undefined) return;
    onChange(word.map((old, j) => (j === i ? to : j === i + by ? from : old)));
  };
  const options = symbols.map((symbol, code) => (
    <option key={code} value={code}>
      {label(symbol)}
    </option>
  ));
  return (
    <div class="events" role="group" aria-label="Events of the case">
      {word.map((symbol, i) => (
        <span key={i} class="event">
          {place === i ? (
            <select class="select" aria-label={`Event ${i + 1} instead`} value={symbols.findIndex((other) => label(other) === label(symbol))} onChange={(event) => put(i, event.currentTarget.value)} onBlur={() => setPlace(null)} ref={(element) => element?.focus()}>
              {options}
            </select>
          ) : (
            <button
              type="button"
              class="event__name"
              title="Change this event; Alt with the arrow keys moves it"
              aria-label={`Event ${i + 1}: ${label(symbol)}. Change it`}
              onClick={() => setPlace(i)}
              onKeyDown={(event) => {
                if (!event.altKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
                event.preventDefault();
                move(i, event.key === 'ArrowLeft' ? -1 : 1);
              }}
            >
              {label(symbol)}
            </button>
          )}
          <button type="button" class="event__remove" aria-label={`Remove event ${i + 1}: ${label(symbol)}`} onClick={() => onChange(word.filter((_, j) => j !== i))}>
            <Cross />
          </button>
        </span>
      ))}
      <select class="select" aria-label="Add an event" value="" onChange={(event) => add(event.currentTarget.value)}>
        <option value="">Add an event…</option>
        {options}
      </select>
      {changed && (
        <button type="button" class="button button--quiet button--small" onClick={onReset}>
          As it was
        </button>
      )}
    </div>
  );
}
