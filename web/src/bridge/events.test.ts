import { expect, it } from 'vitest';
import { serverEvents } from './events';

function stream(...chunks: string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      chunks.forEach((chunk) => controller.enqueue(encoder.encode(chunk)));
      controller.close();
    },
  });
}

it('finds events however the stream is cut', async () => {
  const text = 'event: job\ndata: {"job":"7"}\n\n: a comment\n\nevent: progress\ndata: 1\ndata: 2\n\nevent: result\ndata: {}\n\n';
  for (const size of [1, 3, 1000]) {
    const chunks = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
    const found = [];
    for await (const event of serverEvents(stream(...chunks))) found.push(event);
    expect(found).toEqual([
      { name: 'job', data: '{"job":"7"}' },
      { name: 'progress', data: '1\n2' },
      { name: 'result', data: '{}' },
    ]);
  }
});
