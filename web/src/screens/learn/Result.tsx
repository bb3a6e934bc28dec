import type { LearnResult, SampleRead } from '../../bridge/contract';
import { Curves } from '../../ui/Curves';
import { GoTo } from '../../ui/GoTo';
import { seconds } from '../../ui/numbers';
import { Calibration } from './Calibration';

/** What was learned, and how well it predicts cases that it has not seen. */
export function Result({ result, read }: { result: LearnResult; read: SampleRead | null }) {
  const judged = result.judgement;
  const outcome = read?.names[0] ?? 'the outcome';
  return (
    <>
      <section class="panel" aria-label="Result">
        <div class="panel__head">
          <h2 class="row">
            Learned
            {result.best_so_far && <span class="badge badge--tie">best so far</span>}
            <span class="badge">{seconds(result.seconds)}</span>
          </h2>
          <div class="row">
            <GoTo screen="cases" primary>
              See the cases
            </GoTo>
            <GoTo screen="machine">See the machine</GoTo>
          </div>
        </div>
        <p>{result.summary.replace(/^<|>$/g, '')}</p>
        <p class="muted small">{said(result)}</p>
      </section>
      <div class="columns">
        <div class="stack">
          {judged && (
            <section class="panel" aria-label="How well it predicts">
              <h2>How well it predicts</h2>
              <p class="muted small">{judged.what}</p>
              <TextTable rows={judged.table} label="Scores beside baselines" />
            </section>
          )}
          <section class="panel" aria-label="Credit">
            <h2>Which events matter</h2>
            {result.credit.length > 1 ? <TextTable rows={result.credit} label="Credit of events" /> : <p class="muted small">{result.credit_reason}</p>}
          </section>
          {result.sizes.length > 1 && (
            <section class="panel" aria-label="Number of states">
              <h2>Number of states</h2>
              <Curves
                label="Loss on held-out cases by number of states"
                xLabel="states"
                yLabel="held-out loss"
                series={[{ label: 'held-out loss', x: result.sizes.map((size) => size.n_states), y: result.sizes.map((size) => size.loss) }]}
              />
            </section>
          )}
        </div>
        <div class="stack">
          {judged && judged.calibration.length > 0 && (
            <section class="panel" aria-label="Calibration">
              <h2>Calibration</h2>
              <Calibration bins={judged.calibration} outcome={outcome} />
            </section>
          )}
          {result.curves.length > 0 && (
            <section class="panel" aria-label="How it learned">
              <h2>How it learned</h2>
              <Curves
                label="Loss by number of passes over the data"
                xLabel="passes over the data"
                yLabel="loss"
                series={result.curves.slice(0, 3).flatMap((curve, i) => [
                  { label: `fold ${i + 1}, held out`, x: curve.e_steps, y: curve.held_out, color: i },
                  { label: `fold ${i + 1}, training`, x: curve.e_steps, y: curve.training, color: i, dashed: true },
                ])}
              />
            </section>
          )}
        </div>
      </div>
    </>
  );
}

/** A table as the package prints it: the first row has the names of its columns. */
function TextTable({ rows, label }: { rows: readonly (readonly string[])[]; label: string }) {
  const [head = [], ...body] = rows;
  return (
    <div class="scroll">
      <table class="table" aria-label={label}>
        <thead>
          <tr>
            {head.map((text, i) => (
              <th key={i} scope="col" class={i ? 'right' : ''}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, r) => (
            <tr key={r}>
              {row.map((text, i) => (
                <td key={i} class={i ? 'right number' : ''}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** How the search ended, and which cut point was chosen. */
function said({ stop, detail, cut_point, cut_point_reason }: LearnResult): string {
  const sentence = (text: string) => (text ? `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/[.]?$/, '.')}` : '');
  const cut = cut_point === null ? '' : `cut point ${cut_point}${cut_point_reason && `: ${cut_point_reason}`}`;
  return [stop, detail, cut].map(sentence).join(' ').trim();
}
