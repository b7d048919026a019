import type { ArgumentOf, CallName, EventName, PayloadOf, Reply, ResultOf } from './ipc';

/** What the preload offers as `window.headroom`: events arrive as JSON text. */
export interface RawBridge extends Pick<Bridge, 'call'> {
  on(name: EventName, listener: (json: string) => void): () => void;
}

/**
 * How the page speaks with main. A call without an argument is `call('settings.read', null)`. `on` returns what ends
 * the listening.
 */
export interface Bridge {
  call<Name extends CallName>(name: Name, argument: ArgumentOf<Name>): Promise<Reply<ResultOf<Name>>>;
  on<Name extends EventName>(name: Name, listener: (payload: PayloadOf<Name>) => void): () => void;
}
