import type { Bar } from '../../bridge/contract';
import { decimal, signed } from '../../ui/numbers';

/** How the probability went up and down, bar by bar. */
export function Waterfall({ bars, label, first }: { bars: readonly Bar[]; label: string; first: string }) {
  const all = bars.flatMap((bar) => [bar.before, bar.after]);
  const begun = bars.slice(0, 1).map(({ before }) => ({ label: first, before: 0, after: before }));
  const low = Math.min(0, ...all);
  const span = Math.max(1, ...all) - low;
  const x = (p: number) => `${(100 * (p - low)) / span}%`;
  return (
    <ol class="waterfall" aria-label={label}>
      {[...begun, ...bars].map((bar, i) => {
        const change = bar.after - bar.before;
        const whole = i === 0;
        const kind = whole ? 'base' : change > 0 ? 'up' : change < 0 ? 'down' : 'same';
        return (
          <li key={i} class="waterfall__row" data-kind={kind}>
            <span class="waterfall__label">{bar.label}</span>
            <span class="waterfall__track" aria-hidden="true">
              <span class="waterfall__bar" style={{ left: x(Math.min(bar.before, bar.after)), width: `${(100 * Math.abs(change)) / span}%` }} />
            </span>
            <span class="waterfall__change number">{whole ? '' : change === 0 ? '0' : signed(change)}</span>
            <span class="waterfall__after number muted">{decimal(bar.after, 3)}</span>
          </li>
        );
      })}
      <li class="waterfall__row waterfall__scale number muted" aria-hidden="true">
        <span class="waterfall__track">
          {[0, 0.25, 0.5, 0.75, 1].map((part) => (
            <span key={part} style={{ left: `${100 * part}%` }}>
              {decimal(Number((low + part * span).toFixed(2)), 2)}
            </span>
          ))}
        </span>
      </li>
    </ol>
  );
}
