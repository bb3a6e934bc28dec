import { signal, type ReadonlySignal } from '@preact/signals';
import { Disconnected, type Bridge } from '../bridge/bridge';

export type Connection = 'connected' | 'lost' | 'restarted';

export interface Watched {
  readonly bridge: Bridge;
  readonly connection: ReadonlySignal<Connection>;
  /** Counts the times that a lost connection came back: answers are asked for again. */
  readonly returns: ReadonlySignal<number>;
  readonly retry: () => void;
}

const PAUSE = 1500;

/** A bridge whose failures are noticed: while nothing answers, it is tried again and again. */
export function watched(bridge: Bridge): Watched {
  const connection = signal<Connection>('connected');
  const returns = signal(0);
  let timer: ReturnType<typeof setTimeout> | undefined;

  const retry = () => {
    clearTimeout(timer);
    bridge.call('start', {}).then(
      () => {
        connection.value = 'connected';
        returns.value++;
      },
      (error: unknown) => noticed(error),
    );
  };
  const noticed = (error: unknown) => {
    if (!(error instanceof Disconnected)) return;
    connection.value = error.restarted ? 'restarted' : 'lost';
    clearTimeout(timer);
    timer = setTimeout(retry, PAUSE);
  };
  const guarded = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      noticed(error);
      throw error;
    }
  };
  return {
    bridge: {
      call: (...args) => guarded(bridge.call(...args)),
      job: (...args) => guarded(bridge.job(...args)),
      upload: (...args) => guarded(bridge.upload(...args)),
    },
    connection,
    returns,
    retry,
  };
}
