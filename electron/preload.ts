import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import { bridgeName, callChannel, eventChannel } from '../shared/contract/channels';

/** The whole bridge: main checks the name, the sender and the argument of every call, so nothing is decided here. */
contextBridge.exposeInMainWorld(
  bridgeName,
  Object.freeze({
    call: (name: string, argument: unknown): Promise<unknown> =>
      ipcRenderer.invoke(callChannel, name, argument),
    on: (name: string, listener: (payload: unknown) => void): (() => void) => {
      const forward = (_event: IpcRendererEvent, sent: unknown, payload: unknown): void => {
        if (sent === name) listener(payload);
      };
      ipcRenderer.on(eventChannel, forward);
      return () => ipcRenderer.off(eventChannel, forward);
    },
  }),
);
