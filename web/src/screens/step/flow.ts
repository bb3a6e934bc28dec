/** The flows of one step as a function of the arrow. */
export function flowOf(flows: readonly (readonly [number, number, number])[] | undefined): (from: number, to: number) => number {
  const through = new Map((flows ?? []).map(([from, to, p]) => [`${from} ${to}`, p]));
  return (from, to) => through.get(`${from} ${to}`) ?? 0;
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
