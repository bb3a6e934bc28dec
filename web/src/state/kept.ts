import type { Codes, Draft, LearnRequest, Reading } from '../bridge/contract';
import { soundState } from './sound';

/** What is kept in the browser, so that nothing typed is lost. */
export interface Kept {
  readonly draft: Draft;
  readonly name: string;
  readonly word: Codes;
  readonly cursor: number;
  readonly cutPoint: string;
  readonly inclusive: boolean;
  readonly other: { readonly draft: Draft; readonly name: string } | null;
  readonly learn: LearnOptions;
  readonly reading: Reading;
}

export type LearnOptions = Required<Pick<LearnRequest, 'n_states' | 'team' | 'generator' | 'holdout' | 'time_limit' | 'seed'>>;

export const LEARN_OPTIONS: LearnOptions = { n_states: null, team: 1, generator: false, holdout: 0.2, time_limit: 60, seed: 0 };

/** The machines are kept apart from the rest: they are large, and change less often. */
const MACHINE = 'cutpoint.machine';
const REST = 'cutpoint.workbench';

/** This tab's own state first, else that of the tab that was used last; `base` is the address it had. */
export function kept(): { state: Partial<Kept>; base: string | null; own: boolean } {
  for (const storage of [sessionStorage, localStorage]) {
    try {
      const [machine, rest] = [storage.getItem(MACHINE), storage.getItem(REST)];
      if (machine === null || rest === null) continue;
      const { base, ...state } = JSON.parse(rest) as Partial<Kept> & { base: string };
      const sound = soundState({ ...(JSON.parse(machine) as object), ...state });
      if (sound) return { state: sound, base, own: storage === sessionStorage };
    } catch {
      // Storage is switched off, or holds what another version wrote: begin afresh.
    }
  }
  return { state: {}, base: null, own: false };
}

let written: unknown[] = [];

export function keep({ draft, other, ...rest }: Kept, base: string): void {
  const changed = written[0] !== draft || written[1] !== other;
  written = [draft, other];
  const machine = changed ? JSON.stringify({ draft, other }) : null;
  for (const storage of [sessionStorage, localStorage]) {
    try {
      storage.setItem(REST, JSON.stringify({ ...rest, base }));
      if (machine !== null) storage.setItem(MACHINE, machine);
    } catch {
      // A machine of thousands of states may not fit; it is still in the page.
    }
  }
}
