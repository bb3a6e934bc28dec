import { describe, expect, it } from 'vitest';
import { emptyDraft, label, withEntry, withFinal, withoutState, withoutSymbol, withState, withStateName, withSymbol } from './draft';

describe('a draft', () => {
  it('keeps the text of an entry as it is typed', () => {
    const draft = withEntry(emptyDraft(), 0, 1, 0, '2/6');
    expect(draft.transitions[0]).toEqual([['1', '0'], ['2/6', '1']]);
  });

  it('is not changed in place', () => {
    const before = emptyDraft();
    withEntry(before, 0, 0, 0, '1/2');
    withFinal(before, 0, true);
    expect(before).toEqual(emptyDraft());
  });

  it('grows by a state that stays where it is', () => {
    const draft = withState(emptyDraft());
    expect(draft.states).toEqual(['q0', 'q1', 'q2']);
    expect(draft.transitions[1]).toEqual([['1', '0', '0'], ['0', '1', '0'], ['0', '0', '1']]);
    expect([draft.initial, draft.final]).toEqual([['1', '0', '0'], [false, true, false]]);
  });

  it('of a generator grows by a state that stops', () => {
    const draft = withState(emptyDraft('generator'));
    expect(draft.stop).toEqual(['1/2', '1/2', '1']);
    expect(draft.transitions[0]?.[2]).toEqual(['0', '0', '0']);
  });

  it('loses a state everywhere', () => {
    const draft = withoutState(withEntry(withState(emptyDraft()), 0, 2, 2, '3/4'), 0);
    expect(draft.transitions[0]).toEqual([['1', '0'], ['0', '3/4']]);
    expect([draft.states, draft.initial, draft.final, draft.stop]).toEqual([['q1', 'q2'], ['0', '0'], [true, false], null]);
  });

  it('gives new symbols the first free letter', () => {
    expect(withSymbol(withoutSymbol(emptyDraft(), 0)).symbols).toEqual(['b', 'a']);
  });

  it('never gives a name twice', () => {
    const draft = withState(withStateName(emptyDraft(), 0, 'q2'));
    expect(new Set(draft.states).size).toBe(3);
  });

  it('shows names that are not text', () => {
    expect([label('a'), label(3), label([1, 'b'])]).toEqual(['a', '3', '[1,"b"]']);
  });
});
