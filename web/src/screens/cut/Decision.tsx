import type { DecideRequest } from '../../bridge/contract';
import { Diagram } from '../../diagram/Diagram';
import { useAnswer } from '../../state/answer';
import { useWorkspace, type Machine } from '../../state/workspace';
import { Exact } from '../../ui/Exact';
import { counted } from '../../ui/numbers';
import { Word } from '../../ui/Word';
import { MakeExact } from '../machine/MakeExact';

/** A DFA of more states is not drawn. */
const DRAWN = 40;

/** What holds for all words: whether the cut point is isolated, and the DFA of the language. */
export function Decision({ machine, request, valid }: { machine: Machine; request: DecideRequest; valid: boolean }) {
  const space = useWorkspace();
  const decided = useAnswer('decide', valid ? request : null, [machine, request.cut_point, request.inclusive, valid], 350);
  const answer = decided.asked?.machine === machine.draft ? decided.value : null;
  const symbols = machine.checked.symbol_labels;
  const open = () => {
    if (!answer?.dfa) return;
    space.take(answer.dfa, `${space.name.value} DFA`);
    space.screen.value = 'machine';
  };
  if (decided.problem !== null) return <p class="note note--bad">{decided.problem}</p>;
  if (!answer) return <p class="muted">{valid ? 'Deciding…' : 'Enter a cut point.'}</p>;
  return (
    <div class={decided.current ? 'stack' : 'stack stale'} aria-busy={!decided.current}>
      <section class="stack stack--tight" aria-label="Isolation">
        <h2 class="row">
          Isolation
          {answer.isolated === true && <span class="badge badge--good">isolated</span>}
          {answer.isolated === false && <span class="badge badge--tie">not isolated</span>}
          {answer.isolated === null && <span class="badge">unknown</span>}
        </h2>
        <p class="small">{answer.sentence}</p>
        <dl class="facts">
          <dt>nearest word</dt>
          <dd>
            <Word symbols={answer.nearest.map((code) => symbols[code] ?? '?')} />
          </dd>
          <dt>its acceptance</dt>
          <dd>
            <Exact text={answer.acceptance} />
          </dd>
          <dt>distance</dt>
          <dd>
            <Exact text={answer.distance} />
          </dd>
        </dl>
      </section>
      <section class="stack stack--tight" aria-label="DFA">
        <h2 class="row">
          DFA
          {answer.dfa_states !== null && <span class="badge badge--good">{counted(answer.dfa_states, 'state')}</span>}
          {answer.dfa_states === null && <span class="badge">unknown</span>}
          {answer.empty === true && <span class="badge">no word is accepted</span>}
          {answer.universal === true && <span class="badge">every word is accepted</span>}
        </h2>
        {answer.unknown !== null && (
          <>
            <p class="small">{sentence(answer.unknown)}</p>
            {machine.checked.exact ? (
              <p class="muted small">Whether such a language is regular cannot be decided in general, so “unknown” is sometimes the only honest answer.</p>
            ) : (
              <div>
                <MakeExact />
              </div>
            )}
          </>
        )}
        {answer.dot !== null && (answer.dfa_states ?? 0) <= DRAWN && <Diagram dot={answer.dot} label="DFA of the language" />}
        {answer.dot !== null && (answer.dfa_states ?? 0) > DRAWN && <p class="muted small">Too many states to draw.</p>}
        {answer.dfa && (
          <div>
            <button type="button" class="button button--small" onClick={open}>
              Open the DFA as a machine
            </button>
          </div>
        )}
      </section>
    </div>
  );
}

/** The package's sentence without the word that the badge has said, and without calls of Python. */
function sentence(text: string): string {
  const rest = text.replace(/^unknown: /, '').replace(/ (Where acceptances stay away|Take acceptor\.rationalized).*$/, '');
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}
