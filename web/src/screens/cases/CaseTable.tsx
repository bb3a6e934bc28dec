import type { Case, CaseOrder, Cases } from '../../bridge/contract';
import { label } from '../../state/draft';
import { decimal } from '../../ui/numbers';
import { Word } from '../../ui/Word';

export interface CaseTableProps {
  readonly cases: Cases;
  readonly chosen: number | null;
  readonly sort: CaseOrder;
  readonly descending: boolean;
  readonly onSort: (sort: CaseOrder) => void;
  readonly onChoose: (one: Case) => void;
}

/** Events of a case that are listed in the table. */
const LISTED = 12;

const HEADS: readonly (readonly [CaseOrder | null, string])[] = [
  ['row', 'case'],
  ['length', 'events'],
  [null, 'outcome'],
  ['probability', 'probability'],
  ['surprise', 'prediction'],
];

/** The cases with their outcomes and what the machine says. */
export function CaseTable({ cases, chosen, sort, descending, onSort, onChoose }: CaseTableProps) {
  const [yes, no] = cases.names;
  return (
    <div class="scroll cases__list">
      <table class="table cases" aria-label="Cases">
        <thead>
          <tr>
            {HEADS.map(([order, text]) => (
              <th key={text} scope="col" aria-sort={order === sort ? (descending ? 'descending' : 'ascending') : undefined}>
                {order ? (
                  <button type="button" class="table__sort" onClick={() => onSort(order)}>
                    {text} {order === sort ? (descending ? '↓' : '↑') : ''}
                  </button>
                ) : (
                  text
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cases.cases.map((one) => {
            const events = one.word.map(label);
            return (
              <tr key={one.row} data-clickable aria-current={one.row === chosen} onClick={() => onChoose(one)}>
                <td>
                  <button type="button" class="link" aria-label={`Case ${one.id || one.row + 1}`} onClick={() => onChoose(one)}>
                    {one.id || one.row + 1}
                  </button>
                </td>
                <td>
                  <Word symbols={events.slice(0, LISTED)} />
                  {events.length > LISTED && <span class="muted small"> and {events.length - LISTED} more</span>}
                </td>
                <td>{one.accepted === null ? <span class="muted">open</span> : one.accepted ? yes : no}</td>
                <td>
                  <span class="meter">
                    <span class="meter__track" aria-hidden="true">
                      <span class="meter__fill" style={{ transform: `scaleX(${one.probability})` }} />
                      <span class="meter__cut" style={{ left: `${100 * cases.cut_point}%` }} />
                    </span>
                    <span class="number">{decimal(one.probability, 3)}</span>
                  </span>
                </td>
                <td>
                  <span class={one.wrong ? 'badge badge--bad' : 'badge'} title={one.wrong === null ? 'not known yet' : one.wrong ? 'wrong' : 'right'}>
                    {one.wrong === null ? '' : one.wrong ? '✗ ' : '✓ '}
                    {one.predicted ? yes : no}
                  </span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
