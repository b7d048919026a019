import type { SnapshotSource } from '../sensing/source';
import type { Send } from './send';

/**
 * Sends each new Snapshot to the window while somebody can see it, and tells the source how closely to look. A window
 * that becomes visible gets the newest Snapshot at once. A page counts as visible until it says otherwise, and again
 * whenever it is loaded anew.
 */
export class SnapshotPush {
  private windowVisible = false;
  private pageVisible = true;
  private watched = false;
  private readonly unsubscribe: () => void;

  constructor(
    private readonly source: SnapshotSource,
    private readonly send: Send,
  ) {
    source.setAttention('background');
    this.unsubscribe = source.subscribe((snapshot) => {
      if (this.watched) send('snapshot', snapshot);
    });
  }

  /** What the desktop says: shown and not minimised. */
  setWindowVisible(visible: boolean): void {
    this.windowVisible = visible;
    this.update();
  }

  /** What the page says: some screens hide a window without a word to main. */
  setPageVisible(visible: boolean): void {
    this.pageVisible = visible;
    this.update();
  }

  dispose(): void {
    this.unsubscribe();
  }

  private update(): void {
    const watched = this.windowVisible && this.pageVisible;
    if (watched === this.watched) return;
    this.watched = watched;
    this.source.setAttention(watched ? 'watched' : 'background');
    const newest = this.source.latest();
    if (watched && newest !== null) this.send('snapshot', newest);
  }
}
