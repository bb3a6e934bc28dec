import { useState } from 'preact/hooks';
import { withEntry } from '../../state/draft';
import { useWorkspace } from '../../state/workspace';
import { Switch } from '../../ui/Switch';
import { Cell } from './Cell';
import { problemsOf } from './problems';

/** Matrices too large for a table: one row at a time. */
export function RowEditor() {
  const space = useWorkspace();
  const draft = space.draft.value;
  const [[symbol, from], setPlace] = useState<[number, number]>([0, 0]);
  const [all, setAll] = useState(false);
  const states = space.stateLabels.value;
  const symbols = space.symbolLabels.value;
  const row = draft.transitions[symbol]?.[from] ?? [];
  const bad = problemsOf(space.problems.value, 'transitions', symbol, from);
  const others = space.problems.value.filter((problem) => problem.part === 'transitions' && problem.symbol !== null && problem.state !== null && !bad.includes(problem));
  const shown = row.map((entry, t) => [entry, t] as const).filter(([entry]) => all || Number(entry) !== 0);
  return (
    <section class="panel">
      <div class="panel__head">
        <h2>Moves</h2>
        <Switch checked={all} onChange={setAll}>
          Show zeros
        </Switch>
      </div>
      <div class="row row--end">
        <label class="field">
          When it reads
          <select class="select" value={symbol} onChange={(event) => setPlace([Number(event.currentTarget.value), from])}>
            {symbols.map((name, a) => (
              <option key={a} value={a}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          in state
          <select class="select" value={from} onChange={(event) => setPlace([symbol, Number(event.currentTarget.value)])}>
            {states.map((name, s) => (
              <option key={s} value={s}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {bad.map((problem) => (
        <p key={problem.sentence} class="note note--bad">
          {problem.sentence}
        </p>
      ))}
      {others.slice(0, 5).map((problem) => (
        <button key={problem.sentence} type="button" class="note note--bad note--button" onClick={() => setPlace([problem.symbol ?? 0, problem.state ?? 0])}>
          {problem.sentence}
        </button>
      ))}
      <div class="scroll rows">
        <table class="grid" aria-label="Moves of this row">
          <thead>
            <tr>
              <th scope="col">moves to</th>
              <th scope="col">with probability</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(([entry, t]) => (
              <tr key={t} data-row={t}>
                <th scope="row">{states[t]}</th>
                <td>
                  <Cell value={entry} bad={bad.length > 0} label={`${symbols[symbol] ?? ''}: from ${states[from] ?? ''} to ${states[t] ?? ''}`} change={(text) => withEntry(draft, symbol, from, t, text)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
