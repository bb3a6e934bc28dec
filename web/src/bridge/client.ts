import { Refusal, type Bridge } from './bridge';
import type { Draft, Jobs, Machine, Routes } from './contract';

/** The package, as the screens see it: one typed function for each route. */
export interface Client {
  call<R extends keyof Routes>(route: R, request: Routes[R][0], signal?: AbortSignal): Promise<Routes[R][1]>;
  job<J extends keyof Jobs>(
    route: J,
    request: Jobs[J][0],
    progress: (value: Jobs[J][1]) => void,
    started: (job: string) => void,
    signal?: AbortSignal,
  ): Promise<Jobs[J][2]>;
  upload: Bridge['upload'];
  /** The digest of a draft, once known: later requests send it instead of the whole machine. */
  remember(draft: Draft, digest: string): void;
}

export function client(bridge: Bridge): Client {
  const digests = new WeakMap<Draft, string>();
  const files = new Map<string, Blob>();

  const short = (machine: Machine): Machine => (typeof machine === 'string' ? machine : (digests.get(machine) ?? machine));

  /** Machines by their digests; a server that was restarted is sent the drafts themselves, and the files again. */
  const asked = async <T>(request: object, ask: (request: object) => Promise<unknown>): Promise<T> => {
    const brief = Object.fromEntries(
      Object.entries(request).map(([key, value]) => [key, isDraft(value) ? short(value) : (value as unknown)]),
    );
    try {
      return (await ask(brief)) as T;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.kind === 'UnknownUpload') {
        for (const file of files.values()) await bridge.upload(file, () => undefined);
        return (await ask(request)) as T;
      }
      if (error.kind === 'UnknownDigest') return (await ask(request)) as T;
      throw error;
    }
  };

  return {
    call: (route, request, signal) => asked(request, (body) => bridge.call(route, body, signal)),
    job: (route, request, progress, started, signal) =>
      asked(request, (body) =>
        bridge.job(route, body, { started, progress: (value) => progress(value as Jobs[typeof route][1]) }, signal),
      ),
    async upload(file, progress, signal) {
      const uploaded = await bridge.upload(file, progress, signal);
      files.clear();
      files.set(uploaded.upload, file);
      return uploaded;
    },
    remember: (draft, digest) => digests.set(draft, digest),
  };
}

function isDraft(value: unknown): value is Draft {
  return typeof value === 'object' && value !== null && 'transitions' in value && 'symbols' in value;
}
