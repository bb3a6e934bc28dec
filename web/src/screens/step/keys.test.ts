import { expect, it } from 'vitest';
import { keysOf, textOf, wordFrom } from './keys';

it('every symbol has a key of its own', () => {
  expect(keysOf(['0', '1'])).toEqual(['0', '1']);
  expect(keysOf(['ad', 'mail', 'visit', 'cart', 'wait'])).toEqual(['a', 'm', 'v', 'c', 'w']);
  expect(keysOf(['aa', 'aab', 'aabc', 'a'])).toEqual(['1', 'b', 'c', 'a']);
});

it('reads words with and without spaces', () => {
  expect(wordFrom('0 1 1', ['0', '1'])).toEqual({ codes: [0, 1, 1], unknown: null });
  expect(wordFrom('ad visit', ['ad', 'visit'])).toEqual({ codes: [0, 1], unknown: null });
  expect(wordFrom('ad vist', ['ad', 'visit'])).toEqual({ codes: [0], unknown: 'vist' });
  expect(textOf([0, 1], ['ad', 'visit'])).toBe('ad visit');
});
