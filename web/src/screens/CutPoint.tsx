import { useState } from 'preact/hooks';
import type { WordsRequest } from '../bridge/contract';
import { useAnswer } from '../state/answer';
import { useScript, useWorkspace, type Machine } from '../state/workspace';
import { Empty } from '../ui/Empty';
import { GoTo } from '../ui/GoTo';
import { Exact } from '../ui/Exact';
import { approximate, whole } from '../ui/numbers';
import { Switch } from '../ui/Switch';
import { Decision } from './cut/Decision';
import { Staircase } from './cut/Staircase';
import { WordsTable } from './cut/WordsTable';

/** As many words are looked at, at most. */
const MOST = 2000;

/** Screen: the language of the words that are accepted with more than a cut point. */
export function CutPoint() {
  const { machine } = useWorkspace();
  if (!machine.value || machine.value.draft.kind === 'generator') {
    return (
      <Empty title="Cut points are for acceptors">
        <p>{machine.value ? 'This machine is a generator: it makes words. Choose an acceptor.' : 'Some row of the machine on the screen Machine is not right yet.'}</p>
        <GoTo screen="machine" primary>
          Go to Machine
        </GoTo>
      </Empty>
    );
  }
  return <Cut machine={machine.value} />;
}

function Cut({ machine }: { machine: Machine }) {
  const space = useWorkspace();
  const { cutPoint, inclusive } = space;
  const [length, setLength] = useState(6);
  const request: WordsRequest = { machine: machine.draft, cut_point: cutPoint.value, inclusive: inclusive.value, max_length: length, most: MOST };
  const answer = useAnswer('words', request, [machine, cutPoint.value, inclusive.value, length]);
  const decision = { machine: machine.draft, cut_point: cutPoint.value, inclusive: inclusive.value };

  const found = answer.asked?.machine === machine.draft ? answer.value : null;
  useScript('cut_point', { ...request, max_length: found?.max_length ?? 0 }); // the words that are listed

  const near = approximate(cutPoint.value);
  const slider = Number.isFinite(near) ? near : (found?.value ?? 0.5);
  const step = (word: readonly number[]) => {
    space.word.value = word;
    space.cursor.value = word.length;
    space.screen.value = 'step';
  };
  const total = found ? found.above + found.ties + found.below : 0;
  return (
    <div class="stack">
      <h1 class="hidden">Cut point of {space.name.value}</h1>
      <section class="panel cut__entry" aria-label="Cut point">
        <label class="field cut__slider">
          <span>Cut point λ</span>
          <input type="range" min={0} max={1} step={0.001} value={slider} aria-label="Cut point" aria-valuetext={cutPoint.value} onInput={(event) => (cutPoint.value = event.currentTarget.value)} />
        </label>
        <label class="field">
          exactly
          <input class="input cut__exact" value={cutPoint.value} spellcheck={false} aria-label="Cut point, exactly" aria-invalid={answer.problem !== null || undefined} onInput={(event) => (cutPoint.value = event.currentTarget.value)} />
        </label>
        <label class="field">
          words up to length
          <input class="input cut__length" type="number" min={0} max={14} value={length} onInput={(event) => setLength(Math.max(0, Math.min(14, Math.round(Number(event.currentTarget.value)))))} />
        </label>
        <Switch checked={inclusive.value} onChange={(on) => (inclusive.value = on)}>
          Ties are in (≥)
        </Switch>
      </section>
      {answer.problem !== null && (
        <p class="note note--bad" role="alert">
          {answer.problem}
        </p>
      )}
      <div class="columns columns--wide-left">
        <div class="stack">
          {found && (
            <>
              <section class="panel" aria-label="Staircase">
                <div class="panel__head">
                  <h2>Staircase</h2>
                  <div class="row tally">
                    <span>
                      <strong class="number">{whole(found.above)}</strong> above
                    </span>
                    <span class={found.ties ? 'tally__tie' : ''}>
                      <strong class="number">{whole(found.ties)}</strong> {found.ties === 1 ? 'tie' : 'ties'}
                    </span>
                    <span>
                      <strong class="number">{whole(found.below)}</strong> below
                    </span>
                  </div>
                </div>
                <Staircase levels={found.staircase} total={total} cutPoint={found.value} onChoose={(p) => (cutPoint.value = String(p))} />
                {found.ties > 0 && (
                  <p class="note note--tie small">
                    {whole(found.ties)} {found.ties === 1 ? 'word is' : 'words are'} accepted with exactly <Exact text={found.cut_point} />: {inclusive.value ? 'in the language, because ties are in.' : 'not in the language, because it asks for more.'}
                  </p>
                )}
              </section>
              <section class="panel" aria-label="Words">
                <WordsTable found={found} symbols={machine.checked.symbol_labels} inclusive={inclusive.value} asked={length} onStep={step} />
              </section>
            </>
          )}
        </div>
        <section class="panel columns__sticky" aria-label="All words">
          <Decision machine={machine} request={decision} valid={answer.problem === null && cutPoint.value.trim() !== ''} />
        </section>
      </div>
    </div>
  );
}
