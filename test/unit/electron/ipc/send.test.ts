import { describe, expect, it } from 'vitest';
import { sendTo } from '../../../../electron/ipc/send';
import { readingBridge } from '../../../../renderer/state/bridge';
import type { RawBridge } from '../../../../shared/contract/bridge';
import { eventChannel } from '../../../../shared/contract/channels';
import { emptySnapshot } from '../fakes';

const shown = emptySnapshot(7);

type Contents = NonNullable<ReturnType<Parameters<typeof sendTo>[0]>>;

/** A page with what it was sent. */
function fakePage(destroyed = false) {
  const sent: unknown[][] = [];
  const contents = {
    isDestroyed: () => destroyed,
    send: (...values: unknown[]) => void sent.push(values),
  } as unknown as Contents;
  return { sent, contents };
}

describe('events for the page', () => {
  it('go as JSON text, and are read by the page as what they were', () => {
    const { sent, contents } = fakePage();
    sendTo(() => contents)('snapshot', shown);
    expect(sent).toEqual([[eventChannel, 'snapshot', JSON.stringify(shown)]]);

    const raw: RawBridge = {
      call: () => Promise.reject(new Error('nobody calls')),
      on: (name, listener) => {
        for (const [, sentName, json] of sent) if (sentName === name) listener(String(json));
        return () => undefined;
      },
    };
    const heard: unknown[] = [];
    readingBridge(raw).on('snapshot', (snapshot) => heard.push(snapshot));
    expect(heard).toEqual([shown]);
  });

  it('are dropped where the page is gone', () => {
    const { sent, contents } = fakePage(true);
    sendTo(() => null)('command', 'find');
    sendTo(() => contents)('command', 'find');
    expect(sent).toEqual([]);
  });
});
