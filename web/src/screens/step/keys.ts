/** The key that reads each symbol: the symbol itself where it is one character, else its first free letter, else a digit. */
export function keysOf(symbols: readonly string[]): (string | null)[] {
  const taken = new Set<string>(symbols.filter((symbol) => [...symbol].length === 1));
  return symbols.map((symbol, i) => {
    if ([...symbol].length === 1) return symbol;
    const candidates = [...symbol.toLowerCase()].filter((c) => /[a-z0-9]/.test(c));
    const key = [...candidates, String(i + 1)].find((c) => c.length === 1 && !taken.has(c)) ?? null;
    if (key !== null) taken.add(key);
    return key;
  });
}

/** A word from text: characters where all symbols are characters, else symbols between spaces. */
export function wordFrom(text: string, symbols: readonly string[]): { codes: number[]; unknown: string | null } {
  const letters = symbols.every((symbol) => [...symbol].length === 1);
  const parts = letters ? [...text.replace(/\s+/g, '')] : text.split(/\s+/).filter(Boolean);
  const codes: number[] = [];
  for (const part of parts) {
    const code = symbols.indexOf(part);
    if (code < 0) return { codes, unknown: part };
    codes.push(code);
  }
  return { codes, unknown: null };
}

export function textOf(codes: readonly number[], symbols: readonly string[]): string {
  const letters = symbols.every((symbol) => [...symbol].length === 1);
  return codes.map((code) => symbols[code] ?? '?').join(letters ? '' : ' ');
}
