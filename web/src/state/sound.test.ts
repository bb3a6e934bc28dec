import { expect, it } from 'vitest';
import { emptyDraft } from './draft';
import { isDraft, soundState } from './sound';

it('drafts are recognized, and what only looks like one is not', () => {
  for (const kind of ['acceptor', 'generator'] as const) expect(isDraft(emptyDraft(kind))).toBe(true);
  const draft = emptyDraft();
  const wrong = [null, 7, [], {}, { ...draft, states: null }, { ...draft, states: [] }, { ...draft, states: [{}, 'q'] }, { ...draft, transitions: [[['1']]] }, { ...draft, initial: [{}, '0'] }, { ...draft, final: [1, 0] }, { ...draft, kind: 'quantum' }, { ...draft, kind: 'generator' }, { ...draft, beside: 'x' }];
  for (const value of wrong) expect(isDraft(value)).toBe(false);
});

it('of a state, what cannot be used is left out', () => {
  const draft = emptyDraft();
  expect(soundState({ draft, name: 'a', word: [0, 1], cursor: 1, cutPoint: '1/3' })).toEqual({ draft, name: 'a', word: [0, 1], cursor: 1, cutPoint: '1/3' });
  expect(soundState({ draft, name: 7, word: [0, 9], cursor: -1, cutPoint: {}, other: { draft: {} }, inclusive: 'x' })).toEqual({ draft });
  expect(soundState({ draft: {} })).toBeNull();
  expect(soundState(null)).toBeNull();
});
