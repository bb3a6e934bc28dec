import { expect, it } from 'vitest';
import { changed, history, redone, undone } from './history';

it('undo and redo walk back and forth', () => {
  const end = changed(changed(history(1), 2), 3);
  expect(undone(end).present).toBe(2);
  expect(undone(undone(undone(end))).present).toBe(1);
  expect(redone(undone(end))).toEqual(end);
});

it('a change forgets what was undone', () => {
  const end = changed(undone(changed(history(1), 2)), 5);
  expect([end.present, end.past, end.future]).toEqual([5, [1], []]);
});

it('amending makes one step of many', () => {
  const end = changed(changed(changed(history('')  , '1'), '1/', true), '1/3', true);
  expect(undone(end).present).toBe('');
});
