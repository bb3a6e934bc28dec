import { refusal, type Bridge, type JobEvents } from './bridge';
import type { Uploaded } from './contract';

/** What goes to the other side: a notebook's kernel or a worker. */
export interface Question {
  readonly id: number;
  readonly route: string;
  readonly body: unknown;
}

/** What comes back: progress any number of times, then an answer with a status. */
export interface Reply {
  readonly id: number;
  readonly status?: number;
  readonly body?: unknown;
  readonly progress?: unknown;
}

/** A bridge over messages: `send` posts a question, and the function given to `listen` gets the replies. */
export function messageBridge(send: (question: Question) => void, listen: (heard: (reply: Reply) => void) => void): Bridge {
  const waiting = new Map<number, { resolve: (body: unknown) => void; reject: (error: Error) => void; progress?: (value: unknown) => void }>();
  let last = 0;

  listen((reply) => {
    const asked = waiting.get(reply.id);
    if (!asked) return;
    if (reply.status === undefined) {
      asked.progress?.(reply.progress);
      return;
    }
    waiting.delete(reply.id);
    if (reply.status === 200) asked.resolve(reply.body);
    else asked.reject(refusal(reply.status, reply.body));
  });

  const ask = (route: string, body: unknown, events?: JobEvents, signal?: AbortSignal): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject, ...(events ? { progress: events.progress } : {}) });
      events?.started(String(id));
      signal?.addEventListener('abort', () => {
        waiting.delete(id);
        reject(new DOMException('Stopped.', 'AbortError'));
      });
      send({ id, route, body });
    });

  return {
    call: (route, request, signal) => ask(route, request, undefined, signal),
    job: (route, request, events, signal) => ask(route, request, events, signal),
    async upload(file, progress, signal) {
      const answer = await ask('upload', await base64(file), undefined, signal);
      progress(1);
      return answer as Uploaded;
    },
  };
}

export async function base64(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
