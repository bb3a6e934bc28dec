import type { Bridge } from './bridge';
import { messageBridge, type Reply } from './messages';

/** The package in a worker of the browser, by Pyodide: the same messages as to a notebook's kernel. */
export function pyodideBridge(): Bridge {
  const worker = new Worker(new URL('./pyodide.worker.ts', import.meta.url), { type: 'module' });
  return messageBridge(
    (question) => worker.postMessage(question),
    (heard) => {
      worker.onmessage = (event: MessageEvent<Reply>) => heard(event.data);
    },
  );
}
