import { expect, it } from 'vitest';
import { address } from './router';

it('reads the screen and what comes with it', () => {
  expect(address('#/cut?share=ab-_').screen).toBe('cut');
  expect(address('#/cut?share=ab-_').query.get('share')).toBe('ab-_');
});

it('begins with the machine where the address says nothing it knows', () => {
  expect(['', '#', '#/', '#/nowhere', '#x=1'].map((hash) => address(hash).screen)).toEqual(Array(5).fill('machine'));
});
