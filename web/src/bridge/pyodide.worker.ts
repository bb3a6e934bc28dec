import type { Question, Reply } from './messages';

/**
 * Runs the package in the browser.
 *
 * The folder of the page has Pyodide's own files in `pyodide/` and the wheels in `wheels/`, listed in `wheels/index.json`;
 * nothing is loaded from anywhere else. `answer` of `cutpoint.workbench.bridge` is what a server's routes are.
 */

type Answer = (route: string, body: string, progress: (text: string) => void) => string;
interface Pyodide {
  loadPackage(names: readonly string[]): Promise<unknown>;
  runPythonAsync(code: string): Promise<unknown>;
}

const scope = self as unknown as { postMessage(reply: Reply): void; onmessage: ((event: MessageEvent<Question>) => void) | null; location: Location };
const folder = new URL('../', scope.location.href);

async function started(): Promise<Answer> {
  const index = new URL('pyodide/', folder).href;
  const { loadPyodide } = (await import(/* @vite-ignore */ `${index}pyodide.mjs`)) as { loadPyodide(options: { indexURL: string }): Promise<Pyodide> };
  const wheels = (await (await fetch(new URL('wheels/index.json', folder))).json()) as string[];
  const python = await loadPyodide({ indexURL: index });
  await python.loadPackage(wheels.map((wheel) => (wheel.endsWith('.whl') ? new URL(`wheels/${wheel}`, folder).href : wheel)));
  return (await python.runPythonAsync('from cutpoint.workbench.bridge import answer\nanswer')) as Answer;
}

const python = started();

scope.onmessage = async ({ data: { id, route, body } }) => {
  try {
    const answer = await python;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const { status, body: answered } = JSON.parse(answer(route, text, (progress) => scope.postMessage({ id, progress: JSON.parse(progress) as unknown }))) as { status: number; body: unknown };
    scope.postMessage({ id, status, body: answered });
  } catch (error) {
    const lines = String(error).split('\n');
    // Of Python's traceback, the line with the error says what is wrong.
    const sentence = `Python does not run here: ${lines.findLast((line) => /^[\w.]+Error: /.test(line)) ?? lines[0]}`;
    scope.postMessage({ id, status: 503, body: { kind: 'Pyodide', sentence, where: '', advice: '' } });
  }
};
