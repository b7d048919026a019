/** The app's source of Snapshots: the sampler in an Electron utility process. */
import { utilityProcess } from 'electron';
import { snapshotSourceWith, type ForkSampler } from './appSource';
import type { StartSnapshotSource } from './source';

const fork: ForkSampler = (modulePath) => {
  const child = utilityProcess.fork(modulePath, [], { serviceName: 'Headroom sensing' });
  return {
    postMessage: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => child.once('exit', listener),
    kill: () => void child.kill(),
  };
};

export const startSnapshotSource: StartSnapshotSource = snapshotSourceWith(fork);
