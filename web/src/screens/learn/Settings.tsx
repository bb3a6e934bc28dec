import type { SampleRead } from '../../bridge/contract';
import { learnMachine } from '../../state/cases';
import type { LearnOptions } from '../../state/kept';
import { useWorkspace } from '../../state/workspace';
import { Choice } from '../../ui/Choice';
import { whole } from '../../ui/numbers';

/** What is in the file, how to learn from it, and the button that starts. */
export function Settings({ read }: { read: SampleRead }) {
  const space = useWorkspace();
  const options = space.learn.value;
  const set = (change: Partial<LearnOptions>) => (space.learn.value = { ...options, ...change });
  const number = (text: string): number | null => (text.trim() === '' ? null : Math.max(0, Math.min(1e6, Number(text))));
  const integer = (text: string): number | null => (text.trim() === '' ? null : Math.round(number(text) ?? 0));
  const busy = space.task.value !== null;
  const [yes, no] = read.names;
  return (
    <section class="panel" aria-label="Learn">
      <dl class="figures">
        <Figure name="cases" value={whole(read.cases)} />
        <Figure name="different" value={whole(read.distinct)} />
        <Figure name="kinds of events" value={whole(read.n_symbols)} />
        <Figure name="events per case" value={`${read.lengths[0]}–${read.lengths[1]}`} />
        <Figure name={yes} value={whole(read.accepted)} />
        <Figure name={no} value={whole(read.rejected)} />
        {read.unjudged > 0 && <Figure name="without outcome" value={whole(read.unjudged)} />}
      </dl>
      <div class="row row--end settings">
        <div class="field">
          Learn
          <Choice
            label="What to learn"
            value={options.generator ? 'words' : 'outcome'}
            options={[
              ['outcome', 'the outcome'],
              ['words', 'which events follow'],
            ]}
            onChange={(value) => set({ generator: value === 'words' })}
          />
        </div>
        <label class="field">
          States
          <input class="input" type="number" min={1} max={64} placeholder="chosen" value={options.n_states ?? ''} onInput={(event) => set({ n_states: integer(event.currentTarget.value) })} />
        </label>
        <label class="field">
          Team of
          <input class="input" type="number" min={1} max={15} value={options.team} onInput={(event) => set({ team: integer(event.currentTarget.value) ?? 1 })} />
        </label>
        <label class="field">
          Kept to judge by
          <select class="select" value={String(options.holdout)} onChange={(event) => set({ holdout: Number(event.currentTarget.value) })}>
            {[0, 0.1, 0.2, 0.3, 0.5].map((share) => (
              <option key={share} value={String(share)}>
                {share ? `${Math.round(share * 100)} %` : 'nothing'}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          Seconds at most
          <input class="input" type="number" min={1} placeholder="no limit" value={options.time_limit ?? ''} onInput={(event) => set({ time_limit: number(event.currentTarget.value) })} />
        </label>
        <label class="field">
          Seed
          <input class="input" type="number" min={0} value={options.seed} onInput={(event) => set({ seed: integer(event.currentTarget.value) ?? 0 })} />
        </label>
        <button type="button" class="button button--primary" disabled={busy || read.problem !== null} onClick={() => void learnMachine(space)}>
          Learn
        </button>
      </div>
    </section>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd class="number">{value}</dd>
    </div>
  );
}
