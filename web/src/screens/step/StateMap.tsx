import { decimal } from '../../ui/numbers';

/** A distribution over many states: a square for each, the fuller the more likely; the fullest is the most likely one. */
export function StateMap({ row, labels }: { row: readonly number[]; labels: readonly string[] }) {
  const largest = Math.max(...row, Number.MIN_VALUE);
  return (
    <div class="state-map" role="img" aria-label={`Distribution over ${row.length} states; the most likely one has ${decimal(largest)}`}>
      {row.map((p, s) => (
        <span key={s} class="state-map__state" title={`${labels[s] ?? ''}: ${decimal(p)}`} style={{ '--heat': `${Math.round((100 * p) / largest)}%` }} />
      ))}
    </div>
  );
}
