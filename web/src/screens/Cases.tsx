import { useEffect, useState } from 'preact/hooks';
import type { Case, CaseOrder, CasesRequest, SampleFile } from '../bridge/contract';
import { useAnswer } from '../state/answer';
import { readCases, sampleOf } from '../state/cases';
import { useScript, useWorkspace, type Machine } from '../state/workspace';
import { Choice } from '../ui/Choice';
import { Empty } from '../ui/Empty';
import { GoTo } from '../ui/GoTo';
import { whole } from '../ui/numbers';
import { TaskBar } from '../ui/TaskBar';
import { CaseDetail } from './cases/CaseDetail';
import { CaseTable } from './cases/CaseTable';

const PAGE = 50;

/** Screen: the cases of a file, and one of them in full. */
export function Cases() {
  const space = useWorkspace();
  const machine = space.machine.value;
  const sample = sampleOf(space);
  useEffect(() => {
    if (sample && !space.read.value && !space.task.value) void readCases(space);
  }, [sample?.upload]);

  if (!sample || !machine) {
    return (
      <Empty title="No cases yet">
        <p>{sample ? 'The machine on the screen Machine is not right yet.' : 'Drop a file of cases on the screen Learn; here each case is shown with its probability and the reasons for it.'}</p>
        <GoTo screen={sample ? 'machine' : 'learn'} primary>
          {sample ? 'Go to Machine' : 'Go to Learn'}
        </GoTo>
      </Empty>
    );
  }
  return (
    <div class="stack">
      <TaskBar />
      <List machine={machine} sample={sample} />
    </div>
  );
}

type Outcome = 'all' | 'yes' | 'no';
type Errors = 'all' | 'wrong' | 'right';

function List({ machine, sample }: { machine: Machine; sample: SampleFile }) {
  const [outcome, setOutcome] = useState<Outcome>('all');
  const [errors, setErrors] = useState<Errors>('all');
  const [text, setText] = useState('');
  const [[sort, descending], setSort] = useState<[CaseOrder, boolean]>(['row', false]);
  const [offset, setOffset] = useState(0);
  const [chosen, setChosen] = useState<Case | null>(null);
  const request: CasesRequest = {
    machine: machine.draft,
    sample,
    outcome: outcome === 'all' ? null : outcome === 'yes',
    wrong: errors === 'all' ? null : errors === 'wrong',
    text,
    sort,
    descending,
    offset,
    limit: PAGE,
  };
  const parts = [machine, sample.upload, JSON.stringify(sample.reading), outcome, errors, text, sort, descending];
  const answer = useAnswer('cases', request, [...parts, offset]);
  useEffect(() => setOffset(0), parts);

  const cases = answer.asked?.machine === machine.draft ? answer.value : null;
  const [yes, no] = cases?.names ?? ['accepted', 'rejected'];
  const one = chosen ?? cases?.cases[0] ?? null;
  const order = (next: CaseOrder) => setSort(next === sort ? [sort, !descending] : [next, next === 'surprise']);
  return (
    <>
      <header class="title learn__title">
        <h1>{sample.name}</h1>
        {cases && (
          <p class="number">
            {whole(cases.found)} of {whole(cases.total)} cases
          </p>
        )}
      </header>
      <div class="row" role="group" aria-label="Filter">
        <Choice
          label="Outcome"
          value={outcome}
          options={[
            ['all', 'All outcomes'],
            ['yes', yes],
            ['no', no],
          ]}
          onChange={setOutcome}
        />
        <Choice
          label="Errors"
          value={errors}
          options={[
            ['all', 'All'],
            ['wrong', 'Wrong'],
            ['right', 'Right'],
          ]}
          onChange={setErrors}
        />
        <input class="input" type="search" placeholder="Find an id or an event" aria-label="Find an id or an event" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </div>
      {answer.problem !== null && <p class="note note--bad">{answer.problem}</p>}
      <div class="columns">
        <section class="panel" aria-label="Cases">
          {cases && <CaseTable cases={cases} chosen={one?.row ?? null} sort={sort} descending={descending} onSort={order} onChoose={setChosen} />}
          {cases && cases.found === 0 && <p class="muted">No case is like that.</p>}
          {cases && cases.found > PAGE && (
            <div class="row row--spread">
              <button type="button" class="button button--small" disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
                Previous
              </button>
              <span class="muted small number">
                {whole(offset + 1)}–{whole(Math.min(offset + PAGE, cases.found))}
              </span>
              <button type="button" class="button button--small" disabled={offset + PAGE >= cases.found} onClick={() => setOffset(offset + PAGE)}>
                Next
              </button>
            </div>
          )}
        </section>
        <div>{one ? <CaseDetail key={one.row} machine={machine} one={one} names={[yes, no]} cases={request} /> : <NoCase cases={request} />}</div>
      </div>
    </>
  );
}

/** Where no case is chosen, the script is of the list alone. */
function NoCase({ cases }: { cases: CasesRequest }) {
  useScript('cases', { cases });
  return null;
}
