/** The reader of snapshots beside the page. */
import type { SnapshotQuestion } from './runSnapshot';
import { SnapshotDesk } from './snapshotDesk';

const desk = new SnapshotDesk();

self.addEventListener('message', (event: MessageEvent<SnapshotQuestion>) => {
  void desk.answer(event.data, (reply) => self.postMessage(reply));
});
