import { expect, it } from 'vitest';
import type { Checked, Draft } from '../../bridge/contract';
import { emptyDraft } from '../../state/draft';
import { flowOf } from './flow';

const matrix = [
  [0.5, 0.25],
  [0, 0.5],
];
const machine = (kind: Draft['kind']) => ({ draft: emptyDraft(kind), checked: { transitions: [matrix] } as unknown as Checked });

it('what flows through an arrow is the probability to be there and to take it', () => {
  const flow = flowOf(machine('acceptor'), [0.5, 0.5], 0);
  expect([flow(0, 0), flow(0, 1), flow(1, 0), flow(1, 1)]).toEqual([0.25, 0.125, 0, 0.25]);
  expect(flowOf(machine('acceptor'), undefined, undefined)(0, 0)).toBe(0);
});

it('of a generator, shares of what goes on', () => {
  const flow = flowOf(machine('generator'), [0.5, 0.5], 0);
  expect(flow(0, 0) + flow(0, 1) + flow(1, 1)).toBeCloseTo(1);
  expect(flow(0, 0)).toBeCloseTo(0.4);
  expect(flowOf(machine('generator'), [0, 0], 0)(0, 0)).toBe(0);
});
