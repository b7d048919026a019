import { describe, expect, it } from 'vitest';
import { SnapshotPush } from '../../../../electron/ipc/snapshotPush';
import { emptySnapshot, FakeSource } from '../fakes';

function setUp() {
  const source = new FakeSource();
  const sent: unknown[] = [];
  const push = new SnapshotPush(source, (name, payload) => sent.push([name, payload]));
  return { source, sent, push };
}

describe('SnapshotPush', () => {
  it('sends nothing before the window is visible', () => {
    const { source, sent } = setUp();
    source.deliver(emptySnapshot(1));
    expect(sent).toEqual([]);
    expect(source.asked).toEqual([]);
  });

  it('sends nothing while the page says that it is hidden, until it is loaded anew', () => {
    const { source, sent, push } = setUp();
    push.setWindowVisible(true);
    push.setPageVisible(false);
    source.deliver(emptySnapshot(1));
    expect(sent).toEqual([]);
    push.setPageVisible(true);
    expect(sent).toEqual([['snapshot', emptySnapshot(1)]]);
  });

  it('sends the newest Snapshot at once when the window becomes visible, then each new one', () => {
    const { source, sent, push } = setUp();
    source.deliver(emptySnapshot(1));
    source.deliver(emptySnapshot(2));
    push.setWindowVisible(true);
    source.deliver(emptySnapshot(3));
    expect(sent).toEqual([
      ['snapshot', emptySnapshot(2)],
      ['snapshot', emptySnapshot(3)],
    ]);
    expect(source.asked).toEqual([]);
  });

  it('rests while the window is hidden and asks for slower readings', () => {
    const { source, sent, push } = setUp();
    push.setWindowVisible(true);
    push.setWindowVisible(false);
    source.deliver(emptySnapshot(1));
    expect(sent).toEqual([]);
    expect(source.asked).toEqual(['background']);
    push.setWindowVisible(true);
    expect(source.asked).toEqual(['background', 'watched']);
  });

  it('asks for nothing while the page loads in a window that is about to be shown', () => {
    const { source, push } = setUp();
    push.setPageVisible(true);
    push.setWindowVisible(true);
    expect(source.asked).toEqual([]);
  });

  it('asks for slower readings from the start where the window stays hidden', () => {
    const { source, push } = setUp();
    push.setWindowVisible(false);
    expect(source.asked).toEqual(['background']);
  });

  it('does not send twice when the same thing is said twice', () => {
    const { source, sent, push } = setUp();
    source.deliver(emptySnapshot(1));
    push.setWindowVisible(true);
    push.setPageVisible(true);
    push.setPageVisible(true);
    expect(sent).toHaveLength(1);
  });

  it('sends nothing after it was disposed of', () => {
    const { source, sent, push } = setUp();
    push.setWindowVisible(true);
    push.dispose();
    source.deliver(emptySnapshot(1));
    expect(sent).toEqual([]);
  });
});
