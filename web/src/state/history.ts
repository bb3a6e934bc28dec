/** A value with its past and its future: what undo and redo walk along. */
export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
}

const LONGEST_PAST = 200;

export function history<T>(present: T): History<T> {
  return { past: [], present, future: [] };
}

/** A new present; with `amend` it replaces the present one instead of coming after it. */
export function changed<T>(of: History<T>, present: T, amend = false): History<T> {
  if (present === of.present) return of;
  const past = amend ? of.past : [...of.past, of.present].slice(-LONGEST_PAST);
  return { past, present, future: [] };
}

export function undone<T>(of: History<T>): History<T> {
  const present = of.past.at(-1);
  return present === undefined ? of : { past: of.past.slice(0, -1), present, future: [of.present, ...of.future] };
}

export function redone<T>(of: History<T>): History<T> {
  const [present, ...future] = of.future;
  return present === undefined ? of : { past: [...of.past, of.present], present, future };
}
