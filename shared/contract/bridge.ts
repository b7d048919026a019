import type { ArgumentOf, CallName, EventName, PayloadOf, Reply, ResultOf } from './ipc';

/**
 * What the preload offers as `window.headroom`. A call without an argument is `call('settings.read', null)`.
 * `on` returns what ends the listening.
 */
export interface Bridge {
  call<Name extends CallName>(name: Name, argument: ArgumentOf<Name>): Promise<Reply<ResultOf<Name>>>;
  on<Name extends EventName>(name: Name, listener: (payload: PayloadOf<Name>) => void): () => void;
}
