import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ScriptedNotifications } from '../../../../../electron/desktop/ports/scriptedNotifications';
import { ScriptedTray } from '../../../../../electron/desktop/ports/scriptedTray';
import { TrayRenderer } from '../../../../../electron/desktop/tray/trayRenderer';
import { TrayPresence } from '../../../../../electron/desktop/tray/presence';
import { trayView, type TrayAction } from '../../../../../electron/desktop/tray/trayView';
import { SettingsFileStore } from '../../../../../electron/storage/settingsStore';
import type { TrayHost } from '../../../../../shared/contract/desktopState';
import type { Alert, Snapshot } from '../../../../../shared/alerts/snapshot';
import { message } from '../../../../../shared/i18n/message';
import { translate, type Locale } from '../../../../../shared/i18n/translate';
import { GiB } from '../../../../../shared/units';
import { card, job, member } from '../../../shared/snapshot/imbalance/builders';
import { snapshotOf } from '../../../shared/contract/typedSnapshot';
import { FakeLog } from '../../fakes';
import { temporaryFolder } from '../../sensing/support';

const view = (snapshot: Snapshot | null, more: Partial<Parameters<typeof trayView>[0]> = {}) =>
  trayView({
    snapshot,
    snoozedUntil: null,
    clock: (time) => `t${time}`,
    locale: 'en',
    ...more,
  });

function labels(snapshot: Snapshot | null, locale: Locale = 'en') {
  return view(snapshot, { locale }).rows.map((row) =>
    row.kind === 'separator' ? '-' : translate(locale, row.text),
  );
}

const two = (usedGiB: number, more: Partial<Snapshot> = {}) =>
  snapshotOf({ cards: [card(0, usedGiB), card(1, 0.4)], ...more });

const alertOf = (severity: Alert['severity']): Alert => ({
  id: 'x',
  rule: 'hot',
  severity,
  gpuIndex: 0,
  jobId: null,
  jobTitle: null,
  text: message('alerts.cardLost', { card: 0 }),
  since: 0,
});

describe('what the tray says', () => {
  it('a line a card, snooze, show, quit', () => {
    expect(labels(two(12.3))).toEqual([
      'Show Headroom',
      '-',
      'Card 0, RTX 3090: 12 of 24 GiB',
      'Card 1, RTX 3090: 0 of 24 GiB',
      '-',
      'Snooze alerts for 1 hour',
      '-',
      'Quit',
    ]);
    expect(labels(two(12.3), 'zh-CN')).toContain('0 号卡 RTX 3090：12 / 24 GiB');
  });

  it('stale jobs with what they hold, cards that are lost or unknown, and no cards at all', () => {
    const left = job('old', [member(7, 0, [12]), member(8, 1, [0, 11])], {
      verdict: 'stale',
      memoryBytes: 23 * GiB,
    });
    expect(labels(two(12, { jobs: [left] }))).toContain('Stale: old.py, 23.0 GiB');
    const odd = snapshotOf({ cards: [card(0, 3, { lost: true }), card(1, 3, { memoryUsedBytes: null })] });
    expect(labels(odd).slice(2, 4)).toEqual([
      'Card 0, RTX 3090: does not answer',
      'Card 1, RTX 3090: memory unknown',
    ]);
    expect(labels(snapshotOf({}))[2]).toBe('No readings of the cards');
    expect(labels(null)[2]).toBe('No readings of the cards');
  });

  it('shows the fullest card, coloured by the worst alert that stands and by nothing else', () => {
    const face = (used: number, alerts: readonly Alert[] = []) => view(two(used, { alerts })).face;
    expect(face(12)).toEqual({ percent: 50, level: 'good' });
    expect(face(24)).toEqual({ percent: 100, level: 'good' }); // The rule is off, or the card muted.
    expect(face(24, [alertOf('info')]).level).toBe('good');
    expect(face(12, [alertOf('warning')]).level).toBe('warning');
    expect(face(12, [alertOf('warning'), alertOf('critical')]).level).toBe('critical');
    expect(view(null).face).toEqual({ percent: null, level: 'unknown' });
  });

  it('says until when alerts are snoozed', () => {
    const rows = view(two(1), { snoozedUntil: 99 }).rows;
    const wake = rows.find((row) => row.kind === 'item' && row.id === 'wake');
    expect(wake).toMatchObject({ action: { kind: 'wake' }, text: { values: { time: 't99' } } });
  });

  it('has exact sizes in the text beside the pointer', () =>
    expect(view(two(12.34)).tooltip.map((text) => translate('en', text))).toEqual([
      'Headroom: testbox',
      'Card 0, RTX 3090: 12.3 of 24.0 GiB',
      'Card 1, RTX 3090: 0.4 of 24.0 GiB',
    ]));
});

function keeperOn(tray: ScriptedTray, acted: TrayAction[] = []) {
  return new TrayRenderer({
    open: tray.open,
    iconSize: 22,
    words: (text) => translate('en', text),
    act: (action) => acted.push(action),
  });
}

describe('the icon that is kept', () => {
  it('is touched only where something differs', () => {
    const tray = new ScriptedTray();
    const renderer = keeperOn(tray);
    renderer.switchOn();
    for (const used of [12, 12.001, 12.002, 12.003]) renderer.update(view(two(used)));
    expect(tray.changes).toEqual({ icon: 1, menu: 1 });
    renderer.update(view(two(12.3)));
    expect(tray.changes).toEqual({ icon: 2, menu: 1 }); // 51 %, still 12 GiB.
    renderer.update(view(two(13)));
    expect(tray.changes).toEqual({ icon: 3, menu: 2 });
  });

  it('its lines do what they say', () => {
    const tray = new ScriptedTray();
    const acted: TrayAction[] = [];
    const renderer = keeperOn(tray, acted);
    renderer.update(view(two(12)));
    renderer.switchOn();
    for (const id of ['show', 'card-1', 'snooze', 'quit']) tray.clickLine(id);
    expect(acted).toEqual([
      { kind: 'show' },
      { kind: 'go', destination: { place: 'workstation', gpuIndex: 1, jobId: null } },
      { kind: 'snooze' },
      { kind: 'quit' },
    ]);
    expect(tray.labels()).toHaveLength(8);
  });

  it('goes and comes back as it was', () => {
    const tray = new ScriptedTray();
    const renderer = keeperOn(tray);
    renderer.switchOn();
    renderer.update(view(two(12)));
    renderer.switchOff();
    expect([tray.isThere, renderer.isShown()]).toEqual([false, false]);
    renderer.update(view(two(20)));
    renderer.switchOn();
    expect(tray.labels()).toContain('Card 0, RTX 3090: 20 of 24 GiB');
  });
});

async function presence(hosts: readonly TrayHost[]) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const settings = await SettingsFileStore.open(`${temporaryFolder()}/settings.json`, new FakeLog());
  const tray = new ScriptedTray();
  const notifications = new ScriptedNotifications();
  const told: TrayHost[] = [];
  let asked = 0;
  const kept = new TrayPresence({
    settings,
    renderer: keeperOn(tray),
    findHost: () => Promise.resolve(hosts[Math.min(asked++, hosts.length - 1)] ?? 'unknown'),
    notifications,
    words: (text) => translate('en', text),
    onHost: (host) => told.push(host),
    openSettings: () => undefined,
  });
  await kept.start();
  return { kept, settings, tray, notifications, told };
}

describe('whether there is a tray', () => {
  it('a window may be hidden only where a tray brings it back', async () => {
    const { kept, settings, tray } = await presence(['present']);
    expect([tray.isThere, kept.canHide()]).toEqual([true, true]);
    settings.change({ trayEnabled: false });
    expect([tray.isThere, kept.canHide()]).toEqual([false, false]);
  });

  it('waits for a tray that comes after the app, as at login', async () => {
    const { kept, told, notifications } = await presence(['absent', 'absent', 'present']);
    expect(kept.canHide()).toBe(false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(kept.canHide()).toBe(true);
    expect(told).toEqual(['absent', 'present']);
    expect(notifications.shown).toEqual([]);
  });

  it('says once that there is none', async () => {
    const { settings, notifications } = await presence(['absent']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(notifications.shown.map(({ title }) => title)).toEqual(['This desktop shows no tray']);
    expect(settings.settings().noTrayExplained).toBe(true);
  });

  it('says nothing where it was said before or nobody could be asked', async () => {
    const { kept, notifications } = await presence(['unknown']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([kept.canHide(), notifications.shown]).toEqual([false, []]);
  });
});
