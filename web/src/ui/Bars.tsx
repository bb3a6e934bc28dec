import { Probability } from './Probability';

export interface BarRow {
  readonly key: number;
  readonly label: string;
  readonly value: number;
  /** The length of the bar, where it is not the value itself. */
  readonly share?: number;
  readonly exact?: string | null | undefined;
  readonly final: boolean;
  readonly marked?: boolean;
}

/** A distribution over states: one bar each, which moves when the distribution does. */
export function Bars({ rows, label }: { rows: readonly BarRow[]; label: string }) {
  return (
    <ul class="bars" aria-label={label}>
      {rows.map((row) => (
        <li key={row.key} class={row.final ? 'bars__row bars__row--final' : 'bars__row'} data-state={row.label}>
          <span class="bars__label" title={row.label}>
            {row.marked && <span class="bars__mark" aria-label="on the most likely path">●</span>}
            <span class="bars__name">{row.label}</span>
            {row.final && <span class="badge badge--final" title="a final state">final</span>}
          </span>
          <span class="bars__track" aria-hidden="true">
            <span class="bars__fill" style={{ transform: `scaleX(${row.share ?? row.value})` }} />
          </span>
          <span class="bars__value">
            <Probability value={row.value} exact={row.exact} />
          </span>
        </li>
      ))}
    </ul>
  );
}
