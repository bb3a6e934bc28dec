import type { Machine } from '../../state/workspace';

/** How much probability flows through each arrow when a symbol is read in a distribution over states. */
export function flowOf({ draft, checked }: Machine, before: readonly number[] | undefined, symbol: number | undefined): (from: number, to: number) => number {
  const matrix = symbol === undefined ? undefined : checked.transitions[symbol];
  if (!before || !matrix) return () => 0;
  const through = (from: number, to: number) => (before[from] ?? 0) * (matrix[from]?.[to] ?? 0);
  // A generator reads the symbol with some probability only; what flows are shares of that.
  const all = draft.kind === 'generator' ? before.reduce((sum, _, from) => sum + before.reduce((row, __, to) => row + through(from, to), 0), 0) : 1;
  return (from, to) => (all > 0 ? through(from, to) / all : 0);
}

/** The states to show of a large machine: those that hold the most somewhere along the run, in their own order. */
export function strongest(rows: readonly (readonly number[])[], most: number): number[] {
  const width = rows[0]?.length ?? 0;
  const all = Array.from({ length: width }, (_, s) => s);
  if (width <= most) return all;
  const peak = all.map((s) => Math.max(...rows.map((row) => row[s] ?? 0)));
  return all
    .sort((s, t) => (peak[t] ?? 0) - (peak[s] ?? 0))
    .slice(0, most)
    .sort((s, t) => s - t);
}
