import { Disconnected, refusal, type Bridge, type JobEvents } from './bridge';
import type { Uploaded } from './contract';
import { serverEvents } from './events';

/** The server that `cutpoint workbench` starts. `base` is the address with the token, read anew at each call. */
export function httpBridge(base: () => string): Bridge {
  const post = async (route: string, body: BodyInit, type: string, signal?: AbortSignal): Promise<Response> => {
    let response: Response;
    try {
      response = await fetch(`${base()}api/${route}`, {
        method: 'POST',
        headers: { 'Content-Type': type },
        body,
        cache: 'no-store',
        credentials: 'omit',
        signal: signal ?? null,
      });
    } catch (error) {
      throw signal?.aborted ? error : new Disconnected();
    }
    if (!response.ok) throw refusal(response.status, await response.json().catch(() => null));
    return response;
  };
  const json = (route: string, request: unknown, signal?: AbortSignal) =>
    post(route, JSON.stringify(request), 'application/json', signal);

  return {
    async call(route, request, signal) {
      return (await json(route, request, signal)).json();
    },
    async job(route, request, events, signal) {
      const response = await json(route, request, signal);
      if (!response.body) throw new Disconnected();
      return follow(response.body, events, signal);
    },
    upload: (file, progress, signal) => upload(`${base()}api/upload`, file, progress, signal),
  };
}

async function follow(body: ReadableStream<Uint8Array>, events: JobEvents, signal?: AbortSignal): Promise<unknown> {
  try {
    for await (const { name, data } of serverEvents(body)) {
      const value: unknown = JSON.parse(data);
      if (name === 'job') events.started((value as { job: string }).job);
      else if (name === 'progress') events.progress(value);
      else if (name === 'result') return value;
      else if (name === 'error') throw refusal(422, value);
    }
  } catch (error) {
    if (signal?.aborted || (error instanceof Error && error.name === 'Refusal')) throw error;
  }
  throw new Disconnected();
}

/** fetch says nothing about how far an upload is; XMLHttpRequest does. */
function upload(url: string, file: Blob, progress: (share: number) => void, signal?: AbortSignal): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.responseType = 'json';
    request.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : 0);
    request.onload = () =>
      request.status === 200 ? resolve(request.response as Uploaded) : reject(refusal(request.status, request.response));
    request.onerror = () => reject(new Disconnected());
    request.onabort = () => reject(new DOMException('Stopped.', 'AbortError'));
    signal?.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}
