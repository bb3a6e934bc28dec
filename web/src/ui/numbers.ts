/** A probability as people read it: a fixed number of decimals, so that columns align; tiny ones with an exponent. */
export function decimal(value: number, digits = 4): string {
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  const minus = value < 0 ? '−' : '';
  if (size < 0.5 * 10 ** (1 - digits)) return minus + size.toExponential(2).replace('e-', 'e−');
  const text = size.toFixed(digits);
  // 0.99996 must not be shown as 1: nothing is certain that is not.
  return minus + (Number(text) === 1 && size < 1 ? size.toPrecision(12).replace(/0+$/, '') : text);
}

export function signed(value: number): string {
  const text = decimal(Math.abs(value), 3);
  return value < 0 ? `−${text}` : `+${text}`;
}

export function whole(value: number): string {
  return value.toLocaleString('en-US');
}

/** A number with its noun: 1 state, 2 states. */
export function counted(value: number, noun: string): string {
  return `${whole(value)} ${noun}${value === 1 ? '' : 's'}`;
}

export function seconds(value: number): string {
  if (value < 10) return `${value.toFixed(1)} s`;
  if (value < 90) return `${Math.round(value)} s`;
  return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

/** The value of `1/3` or `0.25` as a float; NaN where there is none. */
export function approximate(text: string): number {
  const [, top, bottom = '1'] = /^\s*([-+]?[\d.]+(?:e[-+]?\d+)?)\s*(?:\/\s*(\d+))?\s*$/i.exec(text) ?? [];
  return top === undefined ? NaN : Number(top) / Number(bottom);
}
