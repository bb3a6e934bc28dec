import { expect, it } from 'vitest';
import type { LearnProgress } from '../bridge/contract';
import { extended } from './cases';

const at = (n_states: number, fold: number, e_steps: number, loss: number): LearnProgress => ({
  n_states, fold, e_steps, loss, folds: 3, round: 0, rounds: 4, seconds: 1, seconds_left: null, sizes: {},
});

it('a curve grows while one size learns on one fold', () => {
  const told = [at(2, 0, 5, 0.6), at(2, 0, 6, 0.55), at(2, 1, 9, 0.7), at(4, 0, 10, 0.5), at(2, 0, 12, Infinity), at(2, 0, 12, 0.5)];
  const curves = told.reduce(extended, [] as ReturnType<typeof extended>);
  expect(curves.map(({ size, fold, losses }) => [size, fold, losses])).toEqual([
    [2, 0, [0.6, 0.55]],
    [2, 1, [0.7]],
    [4, 0, [0.5]],
    [2, 0, [0.5]],
  ]);
});
