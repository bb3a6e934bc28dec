import { label, withEntry, withoutSymbol, withSymbolName } from '../../state/draft';
import { useWorkspace } from '../../state/workspace';
import { Cross } from '../../ui/icons';
import { Cell } from './Cell';
import { problemsOf } from './problems';

/** The matrix of one symbol; a row that is wrong says why, in the package's own words. */
export function MatrixTable({ symbol }: { symbol: number }) {
  const space = useWorkspace();
  const draft = space.draft.value;
  const states = draft.states.map(label);
  const name = label(draft.symbols[symbol] ?? '');
  return (
    <section class="panel matrix" aria-label={`Matrix of ${name}`}>
      <div class="panel__head">
        <label class="matrix__symbol">
          <span class="muted small">When it reads</span>
          <Cell wide value={name} label={`Name of symbol ${symbol + 1}`} change={(text) => withSymbolName(draft, symbol, text)} />
        </label>
        <button type="button" class="button button--quiet button--icon button--small" aria-label={`Remove symbol ${name}`} disabled={draft.symbols.length < 2} onClick={() => space.edit(withoutSymbol(draft, symbol))}>
          <Cross />
        </button>
      </div>
      <div class="scroll">
        <table class="grid" aria-label={`Matrix of ${name}`}>
          <thead>
            <tr>
              <th scope="col" class="grid__corner">
                from ↓ to →
              </th>
              {states.map((state, t) => (
                <th key={t} scope="col">
                  {state}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {draft.transitions[symbol]?.map((row, s) => {
              const bad = problemsOf(space.problems.value, 'transitions', symbol, s);
              const id = `problem-${symbol}-${s}`;
              return [
                <tr key={s} data-row={s} class={bad.length ? 'grid__row--bad' : ''}>
                  <th scope="row">{states[s]}</th>
                  {row.map((entry, t) => (
                    <td key={t}>
                      <Cell
                        value={entry}
                        zero={entry === '0' || entry === 0}
                        label={`${name}: from ${states[s] ?? ''} to ${states[t] ?? ''}`}
                        bad={bad.some((problem) => problem.column === null || problem.column === t)}
                        describedBy={bad.length ? id : undefined}
                        change={(text) => withEntry(space.draft.value, symbol, s, t, text)}
                      />
                    </td>
                  ))}
                </tr>,
                bad.length > 0 && (
                  <tr key={`${s} problem`}>
                    <td colSpan={states.length + 1} class="grid__problem" id={id}>
                      {bad.map((problem) => (
                        <p key={problem.sentence}>{problem.sentence}</p>
                      ))}
                    </td>
                  </tr>
                ),
              ];
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
