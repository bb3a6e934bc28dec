import { useCallback, useMemo, useState } from 'preact/hooks';
import type { StepRequest, Steps } from '../bridge/contract';
import { useAnswer } from '../state/answer';
import { useScript, useWorkspace, type Machine } from '../state/workspace';
import { Bars } from '../ui/Bars';
import { Choice } from '../ui/Choice';
import { Empty } from '../ui/Empty';
import { GoTo } from '../ui/GoTo';
import { Probability } from '../ui/Probability';
import { decimal, whole } from '../ui/numbers';
import { Switch } from '../ui/Switch';
import { MachineDiagram } from './machine/MachineDiagram';
import { flowOf, strongest } from './step/flow';
import { StateMap } from './step/StateMap';
import { StepTable } from './step/StepTable';
import { Tape } from './step/Tape';

/** More states than this are shown by the strongest of them. */
const MOST = 20;

type Ending = 'open' | 'accepted' | 'rejected';
type Table = 'forward' | 'backward' | 'occupancy';

/** Screen: a word is read symbol by symbol, and the distribution over states moves. */
export function Step() {
  const { machine } = useWorkspace();
  if (!machine.value) {
    return (
      <Empty title="There is no machine to step through yet">
        <p>Some row of the machine on the screen Machine is not right; when it is, its run is shown here.</p>
        <GoTo screen="machine" primary>
          Go to Machine
        </GoTo>
      </Empty>
    );
  }
  return <Run machine={machine.value} />;
}

function Run({ machine }: { machine: Machine }) {
  const space = useWorkspace();
  const [exact, setExact] = useState(false);
  const [ending, setEnding] = useState<Ending>('open');
  const [table, setTable] = useState<Table>('forward');
  const symbols = machine.checked.symbol_labels;
  const word = useMemo(() => space.word.value.filter((code) => code < symbols.length), [space.word.value, symbols]);
  const at = Math.min(space.cursor.value, word.length);
  const fractions = exact && machine.checked.exact;
  const request: StepRequest = { machine: machine.draft, word, exact: fractions, accepted: ending === 'open' ? null : ending === 'accepted' };
  const answer = useAnswer('step', request, [machine, word, fractions, ending]);
  useScript('step', request);

  const steps = answer.asked?.machine === machine.draft ? answer.value : null;
  const row = steps?.forward[Math.min(at, steps.forward.length - 1)] ?? [];
  return (
    <div class="stack">
      <h1 class="hidden">Step through {space.name.value}</h1>
      <Tape />
      {answer.problem !== null && <p class="note note--bad">{answer.problem}</p>}
      {steps && (
        <>
          <div class="columns columns--wide-left">
            <section class="panel" aria-label="Diagram">
              <MachineDiagram machine={machine} name={space.name.value} least={space.least} levels={row} flow={flowOf(machine, steps.forward[at - 1], word[at - 1])} marked={marked(steps, at)} instead={<StateMap row={row} labels={machine.checked.state_labels} />} />
            </section>
            <section class="panel" aria-label="Distribution">
              <Headline machine={machine} steps={steps} at={at} />
              <Distribution machine={machine} steps={steps} at={at} />
              <div class="row">
                <Switch checked={fractions} disabled={!machine.checked.exact} onChange={setExact}>
                  Exact fractions
                </Switch>
                {!machine.checked.exact && <span class="muted small">This machine has decimal entries.</span>}
              </div>
            </section>
          </div>
          <section class="panel" aria-label="Table of the run">
            <div class="panel__head">
              <Choice
                label="Table"
                value={table}
                options={[
                  ['forward', 'Forward'],
                  ['backward', 'Backward'],
                  ['occupancy', 'Occupancy'],
                ]}
                onChange={setTable}
              />
              <label class="row small">
                <span class="muted">The run ends</span>
                <select class="select" value={ending} onChange={(event) => setEnding(event.currentTarget.value as Ending)}>
                  <option value="open">anywhere</option>
                  <option value="accepted">in a final state</option>
                  <option value="rejected">not in a final state</option>
                </select>
              </label>
            </div>
            <p class="muted small">{EXPLAINED[table]}</p>
            <Tables machine={machine} steps={steps} table={table} word={word} at={at} />
            <PathLine machine={machine} steps={steps} />
          </section>
        </>
      )}
    </div>
  );
}

const EXPLAINED: Readonly<Record<Table, string>> = {
  forward: 'After k symbols: the probability of each state. Ringed: the most likely path.',
  backward: 'From each state after k symbols: the probability that the rest ends as asked.',
  occupancy: 'Given how the run ends: the probability of having been in each state after k symbols.',
};

function marked(steps: Steps, at: number): number[] {
  const state = steps.path?.[at];
  return state === undefined ? [] : [state];
}

function Headline({ machine, steps, at }: { machine: Machine; steps: Steps; at: number }) {
  const generator = machine.draft.kind === 'generator';
  const value = steps.acceptances[Math.min(at, steps.acceptances.length - 1)] ?? null;
  return (
    <div class="headline" aria-live="polite">
      <span class="muted small">{generator ? 'Accepted, if the word ends here' : 'Acceptance'}</span>
      <span class="headline__value" data-testid="acceptance">
        {value === null ? 'never ends here' : <Probability value={value} exact={steps.exact?.acceptances[at]} />}
      </span>
      {steps.exact && value !== null && <span class="muted number small">≈ {decimal(value)}</span>}
      {generator && <span class="muted small">probability of the whole word <Probability value={steps.probability} exact={steps.exact?.probability} /></span>}
    </div>
  );
}

function Distribution({ machine, steps, at }: { machine: Machine; steps: Steps; at: number }) {
  const row = steps.forward[Math.min(at, steps.forward.length - 1)] ?? [];
  const labels = machine.checked.state_labels;
  const columns = row.length <= MOST ? row.map((_, s) => s) : [...row.keys()].sort((s, t) => (row[t] ?? 0) - (row[s] ?? 0)).slice(0, MOST);
  const path = steps.path?.[at];
  const rest = row.length - columns.length;
  const scale = rest > 0 ? Math.max(...row, Number.MIN_VALUE) : 1;
  return (
    <>
      <Bars
        label="Distribution over states"
        rows={columns.map((s) => ({
          key: s,
          label: labels[s] ?? '',
          value: row[s] ?? 0,
          share: (row[s] ?? 0) / scale,
          exact: steps.exact?.forward[at]?.[s],
          final: machine.draft.final[s] ?? false,
          marked: path === s,
        }))}
      />
      {rest > 0 && <p class="muted small">The {MOST} most likely of {whole(row.length)} states; the bars are relative to the first.</p>}
    </>
  );
}

function Tables({ machine, steps, table, word, at }: { machine: Machine; steps: Steps; table: Table; word: readonly number[]; at: number }) {
  const space = useWorkspace();
  const rows = steps[table];
  const go = useCallback((k: number) => (space.cursor.value = k), [space]);
  const columns = useMemo(() => (rows ? strongest(rows, MOST) : []), [rows]);
  if (!rows) return <p class="note">No run of this word ends as asked.</p>;
  const symbols = machine.checked.symbol_labels;
  return (
    <StepTable
      caption={`${table} table`}
      states={machine.checked.state_labels}
      columns={columns}
      symbols={word.map((code) => symbols[code] ?? '?')}
      rows={rows}
      exact={steps.exact?.[table] ?? null}
      path={table === 'backward' ? null : steps.path}
      at={Math.min(at, rows.length - 1)}
      onGo={go}
    />
  );
}

function PathLine({ machine, steps }: { machine: Machine; steps: Steps }) {
  if (!steps.path || steps.path_probability === null) return null;
  return (
    <p class="small">
      <span class="muted">
        Most likely path, probability <Probability value={steps.path_probability} exact={steps.exact?.path_probability} />:{' '}
      </span>
      <span data-testid="path">{steps.path.map((s) => machine.checked.state_labels[s]).join(' → ')}</span>
    </p>
  );
}
