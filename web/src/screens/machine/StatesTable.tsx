import { label, withFinal, withInitial, withoutState, withState, withStateName, withStop } from '../../state/draft';
import { useWorkspace } from '../../state/workspace';
import { Cross, Plus } from '../../ui/icons';
import { Cell } from './Cell';
import { problemsOf } from './problems';

/** The states: their names, where a run starts, which are final, and where a generator stops. */
export function StatesTable() {
  const space = useWorkspace();
  const draft = space.draft.value;
  const problems = space.problems.value;
  const startBad = problems.some((problem) => problem.part === 'initial');
  const { stop } = draft;
  return (
    <section class="panel">
      <div class="panel__head">
        <h2>States</h2>
        <button type="button" class="button button--small" onClick={() => space.edit(withState(draft))}>
          <Plus /> Add state
        </button>
      </div>
      <div class="scroll states">
        <table class="grid" aria-label="States">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Start</th>
              <th scope="col">Final</th>
              {stop && <th scope="col">Stop</th>}
              <th scope="col">
                <span class="hidden">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {draft.states.map((state, s) => {
              const name = label(state);
              const nameBad = problems.some((problem) => problem.part === 'states' && problem.state === s);
              return (
                <tr key={s} data-row={s}>
                  <td>
                    <Cell wide value={name} label={`Name of state ${s + 1}`} bad={nameBad} change={(text) => withStateName(draft, s, text)} />
                  </td>
                  <td>
                    <Cell value={draft.initial[s] ?? '0'} label={`Probability to start in ${name}`} bad={startBad} zero={draft.initial[s] === '0'} change={(text) => withInitial(draft, s, text)} />
                  </td>
                  <td class="grid__check">
                    <input type="checkbox" checked={draft.final[s] ?? false} aria-label={`${name} is final`} onChange={(event) => space.edit(withFinal(draft, s, event.currentTarget.checked))} />
                  </td>
                  {stop && (
                    <td>
                      <Cell value={stop[s] ?? '0'} label={`Probability to stop in ${name}`} bad={problemsOf(problems, 'stop', null, s).length > 0} change={(text) => withStop(draft, s, text)} />
                    </td>
                  )}
                  <td>
                    <button type="button" class="button button--quiet button--icon button--small" aria-label={`Remove state ${name}`} disabled={draft.states.length < 2} onClick={() => space.edit(withoutState(draft, s))}>
                      <Cross />
                    </button>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
