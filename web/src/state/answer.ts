import { useEffect, useRef, useState } from 'preact/hooks';
import type { Routes } from '../bridge/contract';
import { useWorkspace } from './workspace';

export interface Answer<T, Q = unknown> {
  /** What `value` answers: of another machine it must not be shown as one of this. */
  readonly asked: Q | null;
  /** The newest answer; while the next one is on its way, still the one before. */
  readonly value: T | null;
  /** Whether `value` answers the request as it stands. */
  readonly current: boolean;
  readonly problem: string | null;
}

/**
 * The answer to a request, asked for again when one of `parts` changes or the server comes back.
 *
 * A request of null asks nothing and forgets the answer. Without a delay one request is on its way at a time, and the
 * newest follows it: fast typing shows every answer that it can. With a delay an older request is given up.
 */
export function useAnswer<R extends keyof Routes>(route: R, request: Routes[R][0] | null, parts: readonly unknown[], delay = 0): Answer<Routes[R][1], Routes[R][0]> {
  const { client, returns } = useWorkspace();
  const [answer, setAnswer] = useState<Answer<Routes[R][1], Routes[R][0]>>({ asked: null, value: null, current: false, problem: null });
  const newest = useRef<Routes[R][0] | null>(null);
  const busy = useRef(false);
  const returned = returns.value;

  const ask = async (signal?: AbortSignal): Promise<void> => {
    const asked = newest.current;
    if (asked === null) return;
    busy.current = true;
    let next: Answer<Routes[R][1], Routes[R][0]> | null = null;
    try {
      next = { asked, value: await client.call(route, asked, signal), current: true, problem: null };
    } catch (error) {
      if (error instanceof Error && error.name === 'Refusal') next = { asked, value: null, current: true, problem: error.message };
    }
    busy.current = false;
    if (signal?.aborted || newest.current === null) return;
    const latest = newest.current === asked;
    if (next) setAnswer({ ...next, current: latest });
    if (!latest && !signal) await ask();
  };

  useEffect(() => {
    newest.current = request;
    if (request === null) {
      setAnswer({ asked: null, value: null, current: false, problem: null });
      return;
    }
    setAnswer((old) => ({ ...old, current: false }));
    if (delay === 0) {
      if (!busy.current) void ask();
      return;
    }
    const given = new AbortController();
    const timer = setTimeout(() => void ask(given.signal), delay);
    return () => {
      clearTimeout(timer);
      given.abort();
    };
  }, [...parts, request === null, returned]);

  useEffect(() => () => void (newest.current = null), []);
  return answer;
}
