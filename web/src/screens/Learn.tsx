import { useEffect } from 'preact/hooks';
import { readCases, sampleOf, takeFile } from '../state/cases';
import { useScript, useWorkspace, type SizeCurve } from '../state/workspace';
import { Curves, type Series } from '../ui/Curves';
import { Drop } from '../ui/Drop';
import { TaskBar } from '../ui/TaskBar';
import { Columns } from './learn/Columns';
import { Result } from './learn/Result';
import { Settings } from './learn/Settings';

/** Screen: a machine learned from a file of cases. */
export function Learn() {
  const space = useWorkspace();
  const { upload, read, task, learned, curves } = space;
  const sample = sampleOf(space);
  useScript('learn', sample && { sample, ...space.learn.value });

  useEffect(() => {
    if (upload.value && !read.value && !task.value) void readCases(space);
  }, [upload.value]);

  const learning = task.value?.kind === 'learn';
  return (
    <div class="stack">
      <header class="title learn__title">
        <h1>{upload.value ? upload.value.name : 'Learn from cases'}</h1>
        {!upload.value && <p>A case is a sequence of events with an outcome: journeys and sales, exercises and exams, logs and incidents.</p>}
      </header>
      {(!upload.value || !task.value) && (
        <Drop slim={upload.value !== null} label={upload.value ? 'Another file' : 'Choose a file'} onFiles={([file]) => file && void takeFile(space, file)}>
          <p class="muted">{upload.value ? 'Drop another file here.' : 'Drop a file here: TSV, CSV, XES, Parquet, NDJSON, one case or one event in each row. It stays on this computer.'}</p>
        </Drop>
      )}
      <TaskBar />
      {read.value && <Columns key={upload.value?.upload} read={read.value} />}
      {read.value && read.value.problem === null && <Settings read={read.value} />}
      {learning && curves.value.length > 0 && (
        <section class="panel" aria-label="Tournament">
          <h2>Tournament</h2>
          <Curves
            label="Best loss so far for each number of states"
            xLabel="passes over the data"
            yLabel="loss on held-out cases"
            series={tournament(curves.value)}
          />
        </section>
      )}
      {learned.value && !learning && <Result result={learned.value} read={read.value} />}
    </div>
  );
}

/** A color for each number of states, and one entry in the legend. */
function tournament(curves: readonly SizeCurve[]): Series[] {
  const sizes = [...new Set(curves.map(({ size }) => size))].sort((a, b) => a - b);
  return curves.map(({ size, steps, losses }, i) => ({
    label: `${size} states`,
    x: steps,
    y: losses,
    color: sizes.indexOf(size),
    again: curves.findIndex((curve) => curve.size === size) < i,
  }));
}
