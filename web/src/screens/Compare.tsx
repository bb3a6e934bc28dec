import { useMemo, useRef, useState } from 'preact/hooks';
import type { Compared, Draft, Steps } from '../bridge/contract';
import { useAnswer } from '../state/answer';
import { useScript, useWorkspace, type Machine } from '../state/workspace';
import { Bars } from '../ui/Bars';
import { Empty } from '../ui/Empty';
import { GoTo } from '../ui/GoTo';
import { Exact } from '../ui/Exact';
import { Back, Forward } from '../ui/icons';
import { Probability } from '../ui/Probability';
import { Word } from '../ui/Word';
import { Gallery } from './machine/Gallery';
import { MachineDiagram } from './machine/MachineDiagram';
import { openMachine } from './machine/open';
import { flowOf, strongest } from './step/flow';

/** Bars of this many states are shown of each machine. */
const MOST = 12;

/** Screen: two machines, whether they are equal, and if not the shortest word that tells them apart. */
export function Compare() {
  const space = useWorkspace();
  const left = space.machine.value;
  const other = space.other.value;
  const checked = useAnswer('check', other ? { machine: other.draft } : null, [other]);
  const right = useMemo<Machine | null>(
    () => (other && checked.current && checked.value?.draft ? { draft: other.draft, checked: checked.value } : null),
    [other, checked],
  );
  const request = left && right ? { left: left.draft, right: right.draft } : null;
  const compared = useAnswer('compare', request, [left, right]);
  useScript('compare', request);

  if (!left) {
    return (
      <Empty title="There is no machine to compare yet">
        <p>Some row of the machine on the screen Machine is not right; when it is, it can be compared with another one here.</p>
        <GoTo screen="machine" primary>
          Go to Machine
        </GoTo>
      </Empty>
    );
  }
  return (
    <div class="stack">
      <h1 class="hidden">Compare</h1>
      <Chooser />
      {!other && (
        <Empty title="Compare with what?">
          <p>Choose a second machine. If the two accept some word with different probabilities, the shortest such word is found and stepped through side by side.</p>
        </Empty>
      )}
      {checked.value?.problems.map((problem) => (
        <p key={problem.sentence} class="note note--bad">
          {problem.sentence}
        </p>
      ))}
      {compared.problem !== null && <p class="note note--bad">{compared.problem}</p>}
      {right && compared.value && compared.asked?.left === left.draft && compared.asked.right === right.draft && <Verdict left={left} right={right} answer={compared.value} />}
    </div>
  );
}

/** Which two machines. */
function Chooser() {
  const space = useWorkspace();
  const [gallery, setGallery] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const other = space.other.value;
  const choose = (draft: Draft, name: string) => (space.other.value = { draft, name });
  const open = async (files: File[]) => {
    try {
      const { draft, name } = await openMachine(space.client, files);
      choose(draft, name);
    } catch (error) {
      space.say(error instanceof Error ? error.message : String(error), true);
    }
  };
  const swap = () => {
    if (!other) return;
    const { draft, name } = { draft: space.draft.value, name: space.name.value };
    space.take(other.draft, other.name);
    choose(draft, name);
  };
  return (
    <section class="panel compare__choose" aria-label="Two machines">
      <div class="row">
        <strong class="compare__name">{space.name.value}</strong>
        <span class="muted">compared with</span>
        <strong class="compare__name">{other?.name ?? '…'}</strong>
      </div>
      <div class="row">
        <button type="button" class="button button--primary" onClick={() => setGallery(true)}>
          From the gallery
        </button>
        <button type="button" class="button" onClick={() => file.current?.click()}>
          Open file
        </button>
        <input ref={file} type="file" multiple class="hidden" tabIndex={-1} aria-label="Open the second machine" onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = '';
          if (files.length) void open(files);
        }} />
        <button type="button" class="button" onClick={() => choose(space.draft.value, `${space.name.value} as it was`)} title="Keep the machine as it is now, edit it, and see what changes">
          This machine as it is now
        </button>
        <button type="button" class="button" disabled={!other} onClick={swap}>
          Swap
        </button>
      </div>
      {gallery && <Gallery onClose={() => setGallery(false)} onChoose={(entry) => choose(entry.draft, entry.name)} />}
    </section>
  );
}

function Verdict({ left, right, answer }: { left: Machine; right: Machine; answer: Compared }) {
  const space = useWorkspace();
  const word = answer.word ?? [];
  const [chosen, setChosen] = useState<number | null>(null);
  const at = Math.min(chosen ?? word.length, word.length);
  const symbols = left.checked.symbol_labels;
  return (
    <>
      <section class="panel" aria-label="Verdict" aria-live="polite">
        <div class="row">
          <span class={answer.equal ? 'badge badge--good verdict' : 'badge badge--tie verdict'}>{answer.equal ? 'Equal' : 'Different'}</span>
          <p>{answer.sentence}</p>
        </div>
        {answer.word && (
          <dl class="facts">
            <dt>shortest word</dt>
            <dd data-testid="witness">
              <Word symbols={answer.word.map((code) => symbols[code] ?? '?')} />
            </dd>
            <dt>{space.name.value}</dt>
            <dd>
              <Exact text={answer.left ?? ''} />
            </dd>
            <dt>{space.other.value?.name}</dt>
            <dd>
              <Exact text={answer.right ?? ''} />
            </dd>
          </dl>
        )}
        {answer.word && (
          <div class="row" role="group" aria-label="Step through the word">
            <button type="button" class="button button--icon" aria-label="One back" disabled={at === 0} onClick={() => setChosen(at - 1)}>
              <Back />
            </button>
            <input class="compare__slider" type="range" min={0} max={word.length} value={at} aria-label="Symbols read" onInput={(event) => setChosen(Number(event.currentTarget.value))} />
            <button type="button" class="button button--icon" aria-label="One on" disabled={at === word.length} onClick={() => setChosen(at + 1)}>
              <Forward />
            </button>
            <span class="small">
              <span class="muted">read </span>
              <Word symbols={word.slice(0, at).map((code) => symbols[code] ?? '?')} />
            </span>
          </div>
        )}
      </section>
      <div class="columns">
        <Side machine={left} name={space.name.value} steps={answer.left_steps} at={at} symbol={symbols[word[at - 1] ?? -1]} />
        <Side machine={right} name={space.other.value?.name ?? ''} steps={answer.right_steps} at={at} symbol={symbols[word[at - 1] ?? -1]} />
      </div>
    </>
  );
}

/** One of the two; `symbol` is the one read last, by its name, as the two may have them in another order. */
function Side({ machine, name, steps, at, symbol }: { machine: Machine; name: string; steps: Steps | null; at: number; symbol: string | undefined }) {
  const code = symbol === undefined ? undefined : machine.checked.symbol_labels.indexOf(symbol);
  const row = steps?.forward[at] ?? [];
  const columns = useMemo(() => (steps ? strongest(steps.forward, MOST) : []), [steps]);
  return (
    <section class="panel" aria-label={name}>
      <div class="panel__head">
        <h2>{name}</h2>
        {steps && (
          <span class="compare__acceptance">
            <Probability value={steps.acceptances[at] ?? 0} exact={steps.exact?.acceptances[at]} />
          </span>
        )}
      </div>
      <MachineDiagram machine={machine} name={name} {...(steps ? { levels: row, flow: flowOf(machine, steps.forward[at - 1], code) } : {})} />
      {steps && (
        <Bars
          label={`Distribution of ${name}`}
          rows={columns.map((s) => ({
            key: s,
            label: machine.checked.state_labels[s] ?? '',
            value: row[s] ?? 0,
            exact: steps.exact?.forward[at]?.[s],
            final: machine.draft.final[s] ?? false,
          }))}
        />
      )}
    </section>
  );
}
