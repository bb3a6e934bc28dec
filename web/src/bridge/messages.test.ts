import { expect, it } from 'vitest';
import { messageBridge, type Question, type Reply } from './messages';

function standIn(answer: (question: Question) => Reply[]) {
  let heard: (reply: Reply) => void = () => undefined;
  return messageBridge(
    (question) => queueMicrotask(() => answer(question).forEach((reply) => heard(reply))),
    (listener) => (heard = listener),
  );
}

it('answers come back to the question that they belong to', async () => {
  const held: Question[] = [];
  const bridge = standIn((question) => {
    held.push(question);
    if (held.length < 2) return [];
    return held.reverse().map(({ id, route }) => ({ id, status: 200, body: route }));
  });
  expect(await Promise.all([bridge.call('step', {}), bridge.call('words', {})])).toEqual(['step', 'words']);
});

it('a refusal has the sentence of the package', async () => {
  const bridge = standIn(({ id }) => [{ id, status: 422, body: { kind: 'InvalidArgument', sentence: 'a row must sum to 1.', where: '', advice: '' } }]);
  await expect(bridge.call('check', {})).rejects.toThrow('a row must sum to 1.');
});

it('long work tells how far it is', async () => {
  const bridge = standIn(({ id }) => [{ id, progress: 1 }, { id, progress: 2 }, { id, status: 200, body: 'done' }]);
  const seen: unknown[] = [];
  const result = await bridge.job('learn', {}, { started: () => undefined, progress: (value) => seen.push(value) });
  expect([seen, result]).toEqual([[1, 2], 'done']);
});
