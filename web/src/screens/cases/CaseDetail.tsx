import { useState } from 'preact/hooks';
import type { Case, CasesRequest, Name } from '../../bridge/contract';
import { useAnswer } from '../../state/answer';
import { useScript, useWorkspace, type Machine } from '../../state/workspace';
import { Choice } from '../../ui/Choice';
import { Curves } from '../../ui/Curves';
import { Exact } from '../../ui/Exact';
import { decimal, signed } from '../../ui/numbers';
import { EventEditor } from './EventEditor';
import { Waterfall } from './Waterfall';

type Why = 'along' | 'absent';

/** One case: why it has its probability, what if it had gone otherwise, what could be expected along the way. */
export function CaseDetail({ machine, one, names, cases }: { machine: Machine; one: Case; names: readonly [string, string]; cases: CasesRequest }) {
  const space = useWorkspace();
  const [word, setWord] = useState<readonly Name[]>(one.word);
  const [why, setWhy] = useState<Why>('along');
  const request = { machine: machine.draft, word: [...word], outcome: names[0] };
  const answer = useAnswer('case', request, [machine, word, names[0]]);
  useScript('cases', { cases, case: request });

  const explained = answer.value;
  const changed = JSON.stringify(word) !== JSON.stringify(one.word);
  const along = why === 'along' && Boolean(explained?.forecasts);
  return (
    <section class="panel" aria-label={`Case ${one.id || one.row + 1}`}>
      <div class="panel__head">
        <h2>Case {one.id || one.row + 1}</h2>
        <span class="muted small">outcome: {one.accepted === null ? 'open' : one.accepted ? names[0] : names[1]}</span>
      </div>
      {answer.problem !== null && <p class="note note--bad">{answer.problem}</p>}
      {explained && (
        <div class="headline" aria-live="polite">
          <span class="muted small">Probability of {names[0]}</span>
          <span class="headline__value" data-testid="probability">
            {decimal(explained.acceptance)}
          </span>
          {changed && <span class="badge badge--tie">what if: {signed(explained.acceptance - one.probability)}</span>}
          <span class="badge">predicted {explained.predicted ? names[0] : names[1]}</span>
        </div>
      )}
      <EventEditor word={word} symbols={machine.draft.symbols} changed={changed} onChange={setWord} onReset={() => setWord(one.word)} />
      {explained && (
        <>
          <div class="panel__head">
            <h2>Why</h2>
            <Choice
              label="Kind of explanation"
              value={along ? 'along' : 'absent'}
              options={[
                ...(explained.forecasts ? ([['along', 'Along the way']] as const) : []),
                ['absent', 'If it had not happened'],
              ]}
              onChange={setWhy}
            />
          </div>
          <p class="muted small">
            {along
              ? `How each event changed what could be expected: ${explained.sentence}.`
              : 'What each event adds, compared with the same case without it: a property of the model, also where such cases never occur.'}
          </p>
          <Waterfall label="Explanation" first={along ? '(start)' : '(no events)'} bars={along ? explained.bars : explained.shapley_bars} />
          {!along && explained.warning !== null && <p class="note">{explained.warning}</p>}
          {explained.exact !== null && (
            <p class="small">
              <span class="muted">Exactly </span>
              <Exact text={explained.exact} />
            </p>
          )}
          {explained.forecasts && explained.forecasts.length > 1 && (
            <>
              <h2>Forecast along the way</h2>
              <Curves
                height={12}
                label={`Forecast of ${names[0]} after each event`}
                xLabel="events so far"
                yLabel="probability"
                series={[{ label: space.name.value, x: explained.forecasts.map((_, i) => i), y: explained.forecasts }]}
              />
            </>
          )}
        </>
      )}
    </section>
  );
}
