import { useState } from 'preact/hooks';
import type { CutPointWords, Side } from '../../bridge/contract';
import { Choice } from '../../ui/Choice';
import { decimal, whole } from '../../ui/numbers';
import { Probability } from '../../ui/Probability';
import { Word } from '../../ui/Word';

/** Longer tables are slow to read and to draw. */
const LISTED = 300;

type Shown = 'language' | 'ties' | 'all';

/** Words with their acceptances and their place at the cut point. */
export function WordsTable({ found, symbols, inclusive, asked, onStep }: { found: CutPointWords; symbols: readonly string[]; inclusive: boolean; asked: number; onStep: (word: readonly number[]) => void }) {
  const [shown, setShown] = useState<Shown>('language');
  const inside = (side: Side) => side === 'above' || (inclusive && side === 'tie');
  const words = found.words.filter(({ side }) => shown === 'all' || (shown === 'ties' ? side === 'tie' : inside(side)));
  const exactly = found.words.some(({ exact }) => exact !== null);
  const places: Readonly<Record<Side, string>> = { above: 'above', tie: inclusive ? 'tie: in' : 'tie: out', below: 'below' };
  return (
    <>
      <div class="panel__head">
        <h2>Words</h2>
        <Choice
          label="Words to show"
          value={shown}
          options={[
            ['language', `In the language (${whole(found.above + (inclusive ? found.ties : 0))})`],
            ['ties', `Ties (${whole(found.ties)})`],
            ['all', 'All'],
          ]}
          onChange={setShown}
        />
      </div>
      <div class="scroll words">
        <table class="table" aria-label="Words">
          <thead>
            <tr>
              <th scope="col">word</th>
              <th scope="col" class="right">
                acceptance
              </th>
              {exactly && (
                <th scope="col" class="right">
                  ≈
                </th>
              )}
              <th scope="col">place</th>
            </tr>
          </thead>
          <tbody>
            {words.slice(0, LISTED).map(({ word, acceptance, exact, side }) => (
              <tr key={word.join(' ')} data-clickable data-side={side} title="Step through this word" onClick={(event) => event.target instanceof Element && !event.target.closest('button') && onStep(word)}>
                <td>
                  <button type="button" class="link" onClick={() => onStep(word)}>
                    <Word symbols={word.map((code) => symbols[code] ?? '?')} />
                  </button>
                </td>
                <td class="right">
                  <Probability value={acceptance} exact={exact} />
                </td>
                {exactly && <td class="right muted">{decimal(acceptance)}</td>}
                <td>
                  <span class={`badge badge--${side}`}>{places[side]}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {!words.length && <p class="muted small words__none">{shown === 'ties' ? 'No word has exactly this acceptance.' : 'No word of these lengths.'}</p>}
      </div>
      <p class="muted small">
        All {whole(found.words.length)} words up to length {found.max_length}
        {found.max_length < asked && '; there are too many of the next length to look at each'}.
        {words.length > LISTED && ` The first ${LISTED} of ${whole(words.length)} are listed.`}
      </p>
    </>
  );
}
