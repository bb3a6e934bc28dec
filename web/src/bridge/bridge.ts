import type { Failure, Uploaded } from './contract';

/** An answer that is an error: a sentence for the user. */
export class Refusal extends Error {
  readonly kind: string;
  /** What to do, with arguments of the package in braces. */
  readonly advice: string;

  constructor(failure: Failure) {
    super(failure.sentence);
    this.name = 'Refusal';
    this.kind = failure.kind;
    this.advice = failure.advice;
  }
}

/** Nothing answers: the server is stopped, or it was started again with another address. */
export class Disconnected extends Error {
  /** The server is there, but it knows another token. */
  readonly restarted: boolean;

  constructor(restarted = false) {
    super(restarted ? 'The workbench was started again.' : 'The workbench does not answer.');
    this.name = 'Disconnected';
    this.restarted = restarted;
  }
}

export interface JobEvents {
  /** The name by which the job can be stopped. */
  readonly started: (job: string) => void;
  readonly progress: (value: unknown) => void;
}

/** How the page reaches the package: over HTTP, through a notebook's kernel, or in a worker of the browser itself. */
export interface Bridge {
  call(route: string, request: unknown, signal?: AbortSignal): Promise<unknown>;
  job(route: string, request: unknown, events: JobEvents, signal?: AbortSignal): Promise<unknown>;
  upload(file: Blob, progress: (share: number) => void, signal?: AbortSignal): Promise<Uploaded>;
}

export function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && typeof (value as Failure).sentence === 'string';
}

export function refusal(status: number, body: unknown): Error {
  if (isFailure(body)) return status === 403 ? new Disconnected(true) : new Refusal(body);
  if (status === 403 || status === 404) return new Disconnected(true);
  return new Refusal({ kind: 'Status', sentence: `The workbench answered with status ${status}.`, where: '', advice: '' });
}
