import type { WebContents } from 'electron';
import { eventChannel } from '../../shared/contract/channels';
import type { EventName, PayloadOf } from '../../shared/contract/ipc';

/** Sends one event of the contract; dropped where the page is gone. */
export type Send = <Name extends EventName>(name: Name, payload: PayloadOf<Name>) => void;

/**
 * The typed way to the page; nothing else may use webContents.send. What is sent goes as JSON text: an object would be
 * copied value by value on its way through the context bridge, which costs a Snapshot of eight cards three times as much.
 */
export function sendTo(contents: () => WebContents | null): Send {
  return (name, payload) => {
    const target = contents();
    if (target !== null && !target.isDestroyed()) target.send(eventChannel, name, JSON.stringify(payload));
  };
}
