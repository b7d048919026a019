import type { Attention, SnapshotSource } from '../sensing/source';
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
  private told: Attention = 'watched'; // As every source begins.
  private readonly unsubscribe: () => void;

  constructor(
    private readonly source: SnapshotSource,
    private readonly send: Send,
  ) {
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
    if (visible === this.pageVisible) return;
    this.pageVisible = visible;
    this.update();
  }

  dispose(): void {
    this.unsubscribe();
  }

  private update(): void {
    const watched = this.windowVisible && this.pageVisible;
    this.tell(watched ? 'watched' : 'background');
    const appeared = watched && !this.watched;
    this.watched = watched;
    const newest = this.source.latest();
    if (appeared && newest !== null) this.send('snapshot', newest);
  }

  private tell(attention: Attention): void {
    if (attention === this.told) return;
    this.told = attention;
    this.source.setAttention(attention);
  }
}
