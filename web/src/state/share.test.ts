import { expect, it } from 'vitest';
import { emptyDraft } from './draft';
import { packed, unpacked } from './share';

it('a link holds the machine itself', async () => {
  const value = { draft: { ...emptyDraft(), states: ['<script>alert(1)</script>', 'λ ≠ 😀'] }, word: [0, 1], cutPoint: '1/3' };
  const text = await packed(value);
  expect(text).toMatch(/^[\w-]+$/);
  expect(await unpacked(text)).toEqual(value);
});

it('a damaged link is refused', async () => {
  const text = await packed(emptyDraft());
  await expect(unpacked(text.slice(0, 20))).rejects.toThrow();
});
