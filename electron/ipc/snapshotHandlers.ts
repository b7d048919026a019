import type { SnapshotSource } from '../sensing/source';
import type { Handlers } from './answer';
import type { SnapshotPush } from './snapshotPush';

export type SnapshotCalls = 'snapshot.current' | 'history.read' | 'view.visible';

export function snapshotHandlers(source: SnapshotSource, push: SnapshotPush): Pick<Handlers, SnapshotCalls> {
  return {
    'snapshot.current': () => source.latest(),
    'history.read': (request) => source.history(request),
    'view.visible': ({ visible }) => {
      push.setPageVisible(visible);
      return null;
    },
  };
}
