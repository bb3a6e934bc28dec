import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { Refusal, type Bridge } from '../bridge/bridge';
import { client, type Client } from '../bridge/client';
import type { Checked, Draft, LearnResult, Problem, Reading, SampleRead, Started } from '../bridge/contract';
import type { Screen } from '../router';
import { watched, type Connection } from './connection';
import { emptyDraft, label } from './draft';
import { changed, history, redone, undone, type History } from './history';
import { LEARN_OPTIONS, type Kept, type LearnOptions } from './kept';

/** A draft that the package has found to be a machine. */
export interface Machine {
  readonly draft: Draft;
  readonly checked: Checked;
}

/** A file of cases, by what the server calls it. */
export interface Upload {
  readonly name: string;
  readonly upload: string;
}

/** Long work that goes on whatever screen is shown. */
export interface Task {
  readonly kind: 'upload' | 'read' | 'learn';
  /** The part that is done, 0 to 1, as far as it is known. */
  readonly share: number | null;
  readonly text: string;
  readonly stop: () => void;
}

/** The losses of one number of states on one fold as the search goes on: folds are judged by different cases. */
export interface SizeCurve {
  readonly size: number;
  readonly fold: number;
  readonly steps: readonly number[];
  readonly losses: readonly number[];
}

export interface Notice {
  readonly text: string;
  readonly bad: boolean;
}

/** All that a page or a widget holds. */
export interface Workspace {
  readonly client: Client;
  readonly connection: ReadonlySignal<Connection>;
  readonly returns: ReadonlySignal<number>;
  readonly retry: () => void;
  readonly screen: Signal<Screen>;
  readonly started: Signal<Started | null>;
  readonly notice: Signal<Notice | null>;

  readonly past: Signal<History<Draft>>;
  readonly draft: ReadonlySignal<Draft>;
  readonly name: Signal<string>;
  readonly problems: Signal<readonly Problem[]>;
  /** The draft as it stands, if it is a machine; the screens work with it. */
  readonly machine: Signal<Machine | null>;
  readonly stateLabels: ReadonlySignal<readonly string[]>;
  readonly symbolLabels: ReadonlySignal<readonly string[]>;

  /** Weaker moves are not drawn. */
  readonly least: Signal<number>;
  readonly word: Signal<readonly number[]>;
  readonly cursor: Signal<number>;
  readonly cutPoint: Signal<string>;
  readonly inclusive: Signal<boolean>;
  readonly other: Signal<{ readonly draft: Draft; readonly name: string } | null>;

  readonly upload: Signal<Upload | null>;
  readonly reading: Signal<Reading>;
  readonly read: Signal<SampleRead | null>;
  readonly learn: Signal<LearnOptions>;
  readonly learned: Signal<LearnResult | null>;
  readonly task: Signal<Task | null>;
  /** Why the last task failed. */
  readonly failure: Signal<string | null>;
  readonly curves: Signal<readonly SizeCurve[]>;

  /** What the screen has asked last: the script that reproduces it is made from this. */
  readonly request: Signal<{ readonly screen: string; readonly request: object } | null>;

  edit(draft: Draft, amend?: boolean): void;
  /** Another machine: it comes after the one before, so that undo brings that back. */
  take(draft: Draft, name: string): void;
  /** Has the package rewrite the numbers: rows divided by their sums, or decimals as fractions. */
  rewrite(how: { normalized: true } | { rationalized: true }): Promise<void>;
  undo(): void;
  redo(): void;
  say(text: string, bad?: boolean): void;
  state(): Kept;
  restore(state: Partial<Kept>): void;
}

const NOTICE = 5000;

export function workspace(bridge: Bridge, screen: Signal<Screen> = signal<Screen>('machine')): Workspace {
  const { bridge: sound, connection, returns, retry } = watched(bridge);
  const nothing = history(emptyDraft());
  const past = signal(nothing);
  /** What comes after another machine can be undone; what comes first cannot. */
  const after = (draft: Draft) => (past.value === nothing ? history(draft) : changed(past.value, draft));
  const draft = computed(() => past.value.present);
  const machine = signal<Machine | null>(null);
  const notice = signal<Notice | null>(null);
  let silence: ReturnType<typeof setTimeout> | undefined;

  const labels = (of: 'states' | 'symbols', known: 'state_labels' | 'symbol_labels') =>
    computed(() => (machine.value?.draft === draft.value ? machine.value.checked[known] : draft.value[of].map(label)));

  const own: Workspace = {
    client: client(sound),
    connection,
    returns,
    retry,
    screen,
    started: signal(null),
    notice,
    past,
    draft,
    name: signal('machine'),
    problems: signal([]),
    machine,
    stateLabels: labels('states', 'state_labels'),
    symbolLabels: labels('symbols', 'symbol_labels'),
    least: signal(0),
    word: signal([]),
    cursor: signal(0),
    cutPoint: signal('1/2'),
    inclusive: signal(false),
    other: signal(null),
    upload: signal(null),
    reading: signal({}),
    read: signal(null),
    learn: signal(LEARN_OPTIONS),
    learned: signal(null),
    task: signal(null),
    failure: signal(null),
    curves: signal([]),
    request: signal(null),

    edit(next, amend = false) {
      past.value = changed(past.value, next, amend);
    },
    take(next, name) {
      batch(() => {
        past.value = after(next);
        own.name.value = name;
        own.word.value = [];
        own.cursor.value = 0;
        own.least.value = 0;
      });
    },
    async rewrite(how) {
      try {
        const { draft: rewritten, problems } = await own.client.call('check', { machine: draft.value, ...how });
        if (rewritten && !problems.length) own.edit(rewritten);
        else own.say(problems[0]?.sentence ?? 'The numbers cannot be rewritten.', true);
      } catch (error) {
        own.say(error instanceof Error ? error.message : String(error), true);
      }
    },
    undo() {
      past.value = undone(past.value);
    },
    redo() {
      past.value = redone(past.value);
    },
    say(text, bad = false) {
      clearTimeout(silence);
      notice.value = { text, bad };
      if (!bad) silence = setTimeout(() => (notice.value = null), NOTICE);
    },
    state: () => ({
      draft: draft.value,
      name: own.name.value,
      word: own.word.value,
      cursor: own.cursor.value,
      cutPoint: own.cutPoint.value,
      inclusive: own.inclusive.value,
      other: own.other.value,
      learn: own.learn.value,
      reading: own.reading.value,
    }),
    restore(state) {
      batch(() => {
        if (state.draft) past.value = after(state.draft);
        if (state.name !== undefined) own.name.value = state.name;
        if (state.word) own.word.value = state.word;
        if (state.cursor !== undefined) own.cursor.value = state.cursor;
        if (state.cutPoint !== undefined) own.cutPoint.value = state.cutPoint;
        if (state.inclusive !== undefined) own.inclusive.value = state.inclusive;
        if (state.other) own.other.value = state.other;
        if (state.learn) own.learn.value = { ...LEARN_OPTIONS, ...state.learn };
        if (state.reading) own.reading.value = state.reading;
      });
    },
  };
  checking(own);
  return own;
}

const TYPING = 120;

/** Has every new draft looked through by the package: one at a time, then the newest. */
function checking(own: Workspace): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let busy = false;

  const ask = async (): Promise<void> => {
    const draft = own.draft.value;
    if (busy || (own.machine.value?.draft === draft && own.connection.value === 'connected')) return;
    busy = true;
    let found: Checked | null = null;
    let problems: readonly Problem[] | null = null;
    try {
      found = await own.client.call('check', { machine: draft });
      problems = found.problems;
    } catch (error) {
      if (error instanceof Refusal) problems = [{ part: 'machine', symbol: null, state: null, column: null, sentence: error.message }];
    }
    busy = false;
    if (own.draft.value !== draft) return ask();
    if (!problems) return; // nothing answers; the draft is looked through when something does
    const good = found && !problems.length ? found : null;
    if (good) own.client.remember(draft, good.digest);
    batch(() => {
      own.problems.value = problems;
      own.machine.value = good && { draft, checked: good };
    });
  };

  effect(() => {
    void own.draft.value;
    void own.returns.value;
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), own.machine.peek() ? TYPING : 0);
  });
}

const Context = createContext<Workspace | null>(null);
export const WorkspaceProvider = Context.Provider;

export function useWorkspace(): Workspace {
  const value = useContext(Context);
  if (!value) throw new Error('A screen is used outside of its workspace.');
  return value;
}

/** Notes what a screen shows, for the script that reproduces it. */
export function useScript(screen: string, request: object | null): void {
  const space = useWorkspace();
  useEffect(() => {
    space.request.value = request && { screen, request };
  });
}
