import type { LearnProgress, Reading, SampleFile } from '../bridge/contract';
import { seconds, whole } from '../ui/numbers';
import type { SizeCurve, Workspace } from './workspace';

/** The file of cases as a request names it. */
export function sampleOf(space: Workspace): SampleFile | null {
  const upload = space.upload.value;
  return upload && { upload: upload.upload, name: upload.name, reading: space.reading.value };
}

let newest: AbortController | null = null;

/** Runs a task: shown while it runs, its failure shown after it. The task before it, if there is one, is given up. */
async function running(space: Workspace, work: (signal: AbortSignal) => Promise<void>, first: { kind: 'upload' | 'read' | 'learn'; text: string }): Promise<void> {
  newest?.abort();
  const given = new AbortController();
  newest = given;
  space.failure.value = null;
  space.task.value = { ...first, share: null, stop: () => given.abort() };
  try {
    await work(given.signal);
  } catch (error) {
    if (!given.signal.aborted) space.failure.value = error instanceof Error ? error.message : String(error);
  }
  if (newest === given) space.task.value = null;
}

/** Takes a file of cases: sends it and reads it. */
export async function takeFile(space: Workspace, file: File): Promise<void> {
  await running(
    space,
    async (signal) => {
      const { upload } = await space.client.upload(file, (share) => show(space, share, `Sending ${file.name}`), signal);
      space.upload.value = { name: file.name, upload };
      space.reading.value = {};
      space.read.value = null;
      space.learned.value = null;
    },
    { kind: 'upload', text: `Sending ${file.name}` },
  );
  if (space.upload.value && space.failure.value === null) await readCases(space);
}

/** Reads the file, with its columns as guessed or as corrected. */
export async function readCases(space: Workspace, reading: Reading = space.reading.value): Promise<void> {
  space.reading.value = reading;
  const sample = sampleOf(space);
  if (!sample) return;
  await running(
    space,
    async (signal) => {
      const read = await space.client.job(
        'read',
        { sample },
        ({ done, total, cases }) => show(space, total ? done / total : null, `Reading ${sample.name}${cases ? `: ${whole(cases)} cases` : ''}`),
        () => undefined,
        signal,
      );
      space.read.value = read;
      space.reading.value = read.reading;
    },
    { kind: 'read', text: `Reading ${sample.name}` },
  );
}

/** Learns a machine from the cases; it takes the place of the machine on the other screens. */
export async function learnMachine(space: Workspace): Promise<void> {
  const sample = sampleOf(space);
  if (!sample) return;
  space.learned.value = null;
  space.curves.value = [];
  await running(
    space,
    async (signal) => {
      const learned = await space.client.job(
        'learn',
        { sample, ...space.learn.value },
        (progress) => {
          space.curves.value = extended(space.curves.value, progress);
          show(space, shareOf(progress), describe(progress));
        },
        (job) => {
          const task = space.task.value;
          if (task) space.task.value = { ...task, stop: () => void space.client.call('stop', { job }) };
        },
        signal,
      );
      space.learned.value = learned;
      space.take(learned.draft, sample.name.replace(/\.[^.]*$/, ''));
      if (learned.cut_point !== null) space.cutPoint.value = String(learned.cut_point);
    },
    { kind: 'learn', text: 'Starting the search' },
  );
}

function show(space: Workspace, share: number | null, text: string): void {
  const task = space.task.value;
  if (task) space.task.value = { ...task, share, text };
}

function shareOf({ seconds: spent, seconds_left }: LearnProgress): number | null {
  return seconds_left === null ? null : spent / Math.max(spent + seconds_left, 1e-9);
}

function describe(progress: LearnProgress): string {
  const left = progress.seconds_left === null ? '' : `, about ${seconds(progress.seconds_left)} left`;
  return `${progress.n_states} states, fold ${progress.fold + 1} of ${progress.folds}, round ${progress.round + 1}; ${seconds(progress.seconds)} so far${left}`;
}

/** The curves with one more point: of the last of them, or where another size or fold has its turn, of a new one. */
export function extended(curves: readonly SizeCurve[], { n_states: size, fold, e_steps, loss }: LearnProgress): SizeCurve[] {
  if (!Number.isFinite(loss)) return [...curves];
  const last = curves.at(-1);
  const goesOn = last?.size === size && last.fold === fold;
  const { steps, losses } = goesOn ? last : { steps: [], losses: [] };
  return [...(goesOn ? curves.slice(0, -1) : curves), { size, fold, steps: [...steps, e_steps], losses: [...losses, loss] }];
}
