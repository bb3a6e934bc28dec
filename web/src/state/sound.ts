import type { Draft, Entry, Name } from '../bridge/contract';
import type { Kept } from './kept';

/** Looks through what a link, a file or the browser's storage holds: it may come from anyone, or from another version. */

const isList = (value: unknown, length: number, fits: (item: unknown) => boolean): boolean => Array.isArray(value) && value.length === length && value.every(fits);
const isEntry = (value: unknown): value is Entry => typeof value === 'string' || typeof value === 'number';
const isName = (value: unknown): value is Name => isEntry(value) || typeof value === 'boolean' || (Array.isArray(value) && value.every(isName));
const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value has the shape of a draft: its parts are there and fit together. Its numbers are the package's concern. */
export function isDraft(value: unknown): value is Draft {
  if (!isObject(value)) return false;
  const { kind, states, symbols, transitions, initial, final, stop, beside } = value as Partial<Record<keyof Draft, unknown>>;
  if (!Array.isArray(states) || !Array.isArray(symbols) || !states.length || !symbols.length) return false;
  const [n, k] = [states.length, symbols.length];
  const isVector = (row: unknown) => isList(row, n, isEntry);
  return (
    (kind === 'acceptor' ? (stop ?? null) === null : kind === 'generator' && isVector(stop)) &&
    [...states, ...symbols].every(isName) &&
    isList(transitions, k, (matrix) => isList(matrix, n, isVector)) &&
    isVector(initial) &&
    isList(final, n, (one) => typeof one === 'boolean') &&
    (beside === undefined || isObject(beside))
  );
}

/** The parts of a state that can be used; null if it has no machine, or one that is none. */
export function soundState(value: unknown): Partial<Kept> | null {
  if (!isObject(value)) return null;
  const { draft, name, word, cursor, cutPoint, inclusive, other, learn, reading } = value as Partial<Record<keyof Kept, unknown>>;
  if (!isDraft(draft)) return null;
  const second = isObject(other) ? (other as { draft?: unknown; name?: unknown }) : {};
  return {
    draft,
    ...(typeof name === 'string' ? { name } : {}),
    ...(Array.isArray(word) && word.every((code) => isCount(code) && code < draft.symbols.length) ? { word } : {}),
    ...(isCount(cursor) ? { cursor } : {}),
    ...(typeof cutPoint === 'string' ? { cutPoint } : {}),
    ...(typeof inclusive === 'boolean' ? { inclusive } : {}),
    ...(isDraft(second.draft) && typeof second.name === 'string' ? { other: { draft: second.draft, name: second.name } } : {}),
    ...(isObject(learn) ? { learn: learn as Kept['learn'] } : {}),
    ...(isObject(reading) ? { reading } : {}),
  };
}
