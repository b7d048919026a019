import { EventEmitter } from 'node:events';
import { beforeAll, describe, expect, it, vi } from 'vitest';

const exposed: Record<string, unknown> = {};
const invoked: unknown[][] = [];
const ipcRenderer = Object.assign(new EventEmitter(), {
  invoke: (...values: unknown[]) => Promise.resolve(invoked.push(values)),
});
vi.mock('electron', () => ({
  contextBridge: { exposeInMainWorld: (name: string, value: unknown) => (exposed[name] = value) },
  ipcRenderer,
}));

interface Bridge {
  call: (name: string, argument: unknown) => Promise<unknown>;
  on: (name: string, listener: (payload: unknown) => void) => () => void;
}

let bridge: Bridge;
beforeAll(async () => {
  await import('../../../electron/preload');
  bridge = exposed['headroom'] as Bridge;
});

describe('the preload', () => {
  it('exposes one frozen object with two verbs', () => {
    expect(Object.keys(exposed)).toEqual(['headroom']);
    expect(Object.keys(bridge)).toEqual(['call', 'on']);
    expect(Object.isFrozen(bridge)).toBe(true);
  });

  it('sends every call over the one channel', async () => {
    await bridge.call('scenes.choose', { sceneId: null });
    expect(invoked).toEqual([['headroom:call', 'scenes.choose', { sceneId: null }]]);
  });

  it('hands a listener its own events, without the event object, until it stops', () => {
    const heard: unknown[][] = [];
    const stop = bridge.on('settings', (...values) => heard.push(values));
    ipcRenderer.emit('headroom:event', { sender: 'secret' }, 'settings', 1);
    ipcRenderer.emit('headroom:event', { sender: 'secret' }, 'snapshot', 2);
    stop();
    ipcRenderer.emit('headroom:event', { sender: 'secret' }, 'settings', 3);
    expect(heard).toEqual([[1]]);
    expect(ipcRenderer.listenerCount('headroom:event')).toBe(0);
  });
});
