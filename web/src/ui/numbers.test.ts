import { expect, it } from 'vitest';
import { approximate, decimal, seconds, signed } from './numbers';

it('shows probabilities with aligned decimals and never rounds to certainty', () => {
  expect([0, 1, 0.5, 0.20604, 0.0294].map((p) => decimal(p))).toEqual(['0', '1', '0.5000', '0.2060', '0.0294']);
  expect(decimal(0.999999)).toBe('0.999999');
  expect(decimal(1e-7)).toBe('1.00e−7');
});

it('signs changes', () => {
  expect([signed(0.25), signed(-0.25)]).toEqual(['+0.250', '−0.250']);
});

it('places a fraction on a slider', () => {
  expect([approximate('1/4'), approximate('0.25'), approximate(' 3 / 4 ')]).toEqual([0.25, 0.25, 0.75]);
  expect(approximate('half')).toBeNaN();
});

it('says times in words', () => {
  expect([seconds(1.23), seconds(61), seconds(150)]).toEqual(['1.2 s', '61 s', '2 min 30 s']);
});
