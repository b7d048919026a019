import { describe, expect, it } from 'vitest';
import { AlertWatch } from '../../../../electron/alerts/alertWatch';
import type { AlertRecord } from '../../../../shared/alerts/watch';
import type { AlertsState } from '../../../../shared/contract/alertsState';
import { defaultSettings } from '../../../../shared/contract/defaultSettings';
import type { Settings } from '../../../../shared/contract/settings';
import type { Snapshot } from '../../../../shared/alerts/snapshot';
import { GiB } from '../../../../shared/units';
import { card, job, member } from '../../shared/snapshot/imbalance/builders';
import { snapshotOf } from '../../shared/contract/typedSnapshot';
import { FakeSource } from '../fakes';

const at = (time: number, usedGiB: number, more: Partial<Snapshot> = {}): Snapshot =>
  snapshotOf({ time, cardsReadAt: time, cards: [card(0, usedGiB)], ...more });

function setUp(given: Partial<Settings> = {}, remembered: readonly AlertRecord[] = []) {
  const source = new FakeSource();
  const settings = { current: { ...defaultSettings, ...given } };
  const clock = { now: 0 };
  let records = remembered;
  const historyStore = {
    saved: () => records,
    save: (changed: readonly AlertRecord[]) => void (records = changed),
  };
  const watch = new AlertWatch(
    source,
    () => settings.current,
    () => clock.now,
    historyStore,
  );
  const shown: Snapshot[] = [];
  const raised: string[] = [];
  const states: AlertsState[] = [];
  watch.subscribe((snapshot) => shown.push(snapshot));
  watch.onRaised((alerts) => raised.push(...alerts.map(({ rule }) => rule)));
  watch.onChange((state) => states.push(state));
  const play = (from: number, to: number, make: (time: number) => Snapshot) => {
    for (let time = from; time < to; time += 1) {
      clock.now = time;
      source.deliver(make(time));
    }
  };
  return { source, settings, watch, shown, raised, states, play, clock, historyStore };
}

describe('a source with alerts', () => {
  it('puts what stands into the Snapshots it delivers and gives', () => {
    const { watch, shown, raised, play } = setUp();
    play(0, 10, (time) => at(time, 23.5));
    expect(raised).toEqual(['nearly-full']);
    expect(shown.at(-1)?.alerts.map(({ rule }) => rule)).toEqual(['nearly-full']);
    expect(watch.latest()).toBe(shown.at(-1));
  });

  it('follows the settings of the moment: levels, switches, muted cards', () => {
    const { settings, shown, raised, play } = setUp();
    settings.current = {
      ...defaultSettings,
      thresholds: { ...defaultSettings.thresholds, nearlyFullPercent: 50 },
    };
    play(0, 10, (time) => at(time, 13));
    expect(raised).toEqual(['nearly-full']);
    settings.current = { ...settings.current, mutedCards: ['GPU-0'] };
    play(10, 11, (time) => at(time, 13));
    expect(shown.at(-1)?.alerts).toEqual([]);
  });

  it('keeps a history with what happened after, and tells of it', () => {
    const { watch, states, play } = setUp();
    play(0, 10, (time) => at(time, 23.5));
    play(10, 30, (time) => at(time, 10));
    expect(watch.state().history).toMatchObject([
      { alert: { rule: 'nearly-full', since: 0 }, outcome: 'eased' },
    ]);
    expect(states).toHaveLength(3); // The begin, the crossing, the end.
  });

  it('announces nothing while snoozed, and again afterwards', () => {
    const { watch, raised, play } = setUp();
    expect(watch.snooze('*', 100).snoozedUntil).toEqual({ '*': 100 });
    play(1, 20, (time) => at(time, 23.5));
    expect(raised).toEqual([]);
    expect(watch.snooze('*', 0).snoozedUntil).toEqual({});
    play(20, 40, (time) => at(time, 5));
    play(40, 50, (time) => at(time, 23.5));
    expect(raised).toEqual(['nearly-full']);
  });

  it('starts anew on another machine or scene, but stays snoozed', () => {
    const { watch, shown, play } = setUp();
    play(0, 10, (time) => at(time, 23.5));
    watch.snooze('*', 1000);
    play(10, 11, (time) => at(time, 5, { source: { kind: 'simulated', sceneId: 'mig' } }));
    expect(shown.at(-1)?.alerts).toEqual([]);
    expect(watch.state()).toEqual({ history: [], snoozedUntil: { '*': 1009 }, oomExits: [] });
  });

  it('remembers the alerts of this machine’s own cards over restarts and scenes, and none of scenes', () => {
    const first = setUp();
    first.play(0, 10, (time) => at(time, 23.5));
    const { watch, play, historyStore } = setUp({}, first.historyStore.saved());
    play(1000, 1001, (time) => at(time, 5));
    expect(watch.state().history).toMatchObject([
      { alert: { rule: 'nearly-full', since: 0 }, endedAt: 0, outcome: null },
    ]);
    play(1001, 1020, (time) => at(time, 23.5, { source: { kind: 'simulated', sceneId: 'mig' } }));
    expect(watch.state().history).toHaveLength(1);
    expect(watch.state().history[0]?.alert.since).toBe(1001);
    play(1020, 1021, (time) => at(time, 5));
    expect(watch.state().history.map(({ alert }) => alert.since)).toEqual([0]);
    expect(historyStore.saved()).toHaveLength(1);
  });

  it('takes the end of a process that was ended through Headroom for no failure', async () => {
    const holding = (time: number): Snapshot =>
      at(time, 23.5, {
        jobs: [job('train', [member(7, null, [23])])],
        processes: [
          {
            gpuIndex: 0,
            gpuUuid: null,
            pid: 7,
            type: 'C',
            name: 'python',
            usedBytes: 23 * GiB,
            gpuInstance: null,
            computeInstance: null,
          },
        ],
      });
    const crashed = setUp();
    crashed.play(0, 10, holding);
    crashed.play(10, 12, (time) => at(time, 0.2));
    expect(crashed.raised).toContain('died-on-full-card');
    expect(crashed.watch.state().oomExits).toMatchObject([{ pid: 7, gpuIndex: 0, time: 10 }]);
    expect(crashed.states.at(-1)?.oomExits).toHaveLength(1);
    const freed = setUp();
    freed.play(0, 10, holding);
    freed.watch.endedByHeadroom([7]);
    freed.play(10, 12, (time) => at(time, 0.2));
    expect(freed.raised).not.toContain('died-on-full-card');
    expect(freed.watch.state().oomExits).toEqual([]);
    // The same scene chosen again ends what ran in it.
    const again = setUp();
    again.play(0, 10, holding);
    await again.watch.chooseScene('mig');
    again.play(10, 12, (time) => at(time, 0.2));
    expect(again.raised).not.toContain('died-on-full-card');
  });

  it('hands everything else on', async () => {
    const { source, watch } = setUp();
    watch.setAttention('background');
    watch.configure({ intervalSeconds: 2, nvidiaSmiPath: null });
    await watch.chooseScene('mig');
    await watch.history({ span: 'hour', pixelWidth: 10 });
    await watch.dispose();
    expect(source.asked).toEqual([
      'background',
      'configure 2 null',
      'scene mig',
      'history hour 10',
      'dispose',
    ]);
  });
});
