import type { Draft, Entry, Name } from '../bridge/contract';

/** A name as text; the package's own labels are used where they are known. */
export function label(name: Name): string {
  return typeof name === 'string' ? name : JSON.stringify(name);
}

const without = <T>(items: readonly T[], index: number): T[] => items.filter((_, i) => i !== index);
const replaced = <T>(items: readonly T[], index: number, item: T): T[] => items.map((old, i) => (i === index ? item : old));

/** The first of `q1`, `q2`, … that no other name has. */
export function freshName(taken: readonly Name[], stem: string, from = 1): string {
  for (let i = from; ; i++) if (!taken.includes(`${stem}${i}`)) return `${stem}${i}`;
}

function freshSymbol(taken: readonly Name[]): string {
  const letter = [...'abcdefghijklmnopqrstuvwxyz'].find((c) => !taken.includes(c));
  return letter ?? freshName(taken, 'x');
}

/** Two states that stay where they are: something small to begin with. */
export function emptyDraft(kind: Draft['kind'] = 'acceptor'): Draft {
  const generator = kind === 'generator';
  const stay = generator ? [['1/2', '0'], ['0', '1/2']] : [['1', '0'], ['0', '1']];
  return {
    kind,
    states: ['q0', 'q1'],
    symbols: generator ? ['a'] : ['a', 'b'],
    transitions: generator ? [stay] : [stay, stay],
    initial: ['1', '0'],
    final: [generator, true],
    stop: generator ? ['1/2', '1/2'] : null,
    beside: {},
  };
}

/** A new state stays where it is under every symbol; a generator stops there. */
export function withState(draft: Draft): Draft {
  const generator = draft.kind === 'generator';
  const zeros = draft.states.map(() => '0');
  return {
    ...draft,
    states: [...draft.states, freshName(draft.states, 'q', draft.states.length)],
    transitions: draft.transitions.map((matrix): Entry[][] => [
      ...matrix.map((row) => [...row, '0']),
      [...zeros, generator ? '0' : '1'],
    ]),
    initial: [...draft.initial, '0'],
    final: [...draft.final, generator],
    stop: draft.stop && [...draft.stop, '1'],
  };
}

export function withoutState(draft: Draft, state: number): Draft {
  return {
    ...draft,
    states: without(draft.states, state),
    transitions: draft.transitions.map((matrix) => without(matrix, state).map((row) => without(row, state))),
    initial: without(draft.initial, state),
    final: without(draft.final, state),
    stop: draft.stop && without(draft.stop, state),
  };
}

export function withSymbol(draft: Draft): Draft {
  const stay = draft.states.map((_, s) => draft.states.map((__, t) => (s === t && draft.kind === 'acceptor' ? '1' : '0')));
  return { ...draft, symbols: [...draft.symbols, freshSymbol(draft.symbols)], transitions: [...draft.transitions, stay] };
}

export function withoutSymbol(draft: Draft, symbol: number): Draft {
  return { ...draft, symbols: without(draft.symbols, symbol), transitions: without(draft.transitions, symbol) };
}

export function withStateName(draft: Draft, state: number, name: string): Draft {
  return { ...draft, states: replaced(draft.states, state, name) };
}

export function withSymbolName(draft: Draft, symbol: number, name: string): Draft {
  return { ...draft, symbols: replaced(draft.symbols, symbol, name) };
}

export function withEntry(draft: Draft, symbol: number, from: number, to: number, text: string): Draft {
  const matrix = draft.transitions[symbol];
  const row = matrix?.[from];
  if (!matrix || !row || row[to] === text) return draft;
  return { ...draft, transitions: replaced(draft.transitions, symbol, replaced(matrix, from, replaced(row, to, text))) };
}

export function withInitial(draft: Draft, state: number, text: string): Draft {
  return { ...draft, initial: replaced(draft.initial, state, text) };
}

export function withStop(draft: Draft, state: number, text: string): Draft {
  return { ...draft, stop: draft.stop && replaced(draft.stop, state, text) };
}

export function withFinal(draft: Draft, state: number, final: boolean): Draft {
  return { ...draft, final: replaced(draft.final, state, final) };
}
