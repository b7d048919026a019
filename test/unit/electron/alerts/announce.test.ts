import { expect, it } from 'vitest';
import { announce } from '../../../../electron/alerts/announce';
import { ScriptedNotifications } from '../../../../electron/desktop/ports/scriptedNotifications';
import type { Destination } from '../../../../shared/alerts/places';
import type { Alert } from '../../../../shared/alerts/snapshot';
import type { SnapshotOrigin } from '../../../../shared/snapshot/types';
import { message } from '../../../../shared/i18n/message';
import { translate, type Locale } from '../../../../shared/i18n/translate';
import { snapshotOf } from '../../shared/contract/typedSnapshot';

const alert = (given: Partial<Alert>): Alert => ({
  id: 'nearly-full/GPU-0',
  rule: 'nearly-full',
  severity: 'warning',
  gpuIndex: 0,
  jobId: null,
  jobTitle: null,
  text: message('alerts.nearlyFull', { card: 0, percent: 96, left: 2 ** 30 }),
  since: 0,
  ...given,
});

function tell(
  raised: readonly Alert[],
  given: { source?: SnapshotOrigin; locale?: Locale; watching?: boolean } = {},
) {
  const notifications = new ScriptedNotifications();
  const opened: Destination[] = [];
  announce(raised, snapshotOf({ source: given.source ?? { kind: 'machine', sceneId: null } }), {
    notifications,
    words: (text) => translate(given.locale ?? 'en', text),
    isWatching: () => given.watching ?? false,
    open: (destination) => opened.push(destination),
  });
  return { notifications, opened, told: notifications.shown.map(({ title, body }) => `${title}: ${body}`) };
}

it('says what and where, in the language of the person', () => {
  expect(tell([alert({})]).told).toEqual(['Card nearly full: Card 0 is 96 % full, 1.0 GiB left.']);
  expect(tell([alert({})], { locale: 'zh-CN' }).told[0]).toMatch(/^显存即将占满: 0 号卡/);
});

it('marks what is only played', () => {
  const source = { kind: 'simulated', sceneId: 'mig' } as const;
  expect(tell([alert({})], { source }).told[0]).toMatch(/^Card nearly full \(simulated\): /);
});

it('says nothing to who looks at the window', () =>
  expect(tell([alert({})], { watching: true }).told).toEqual([]));

it('a click leads to card and job, and after a likely lack of memory to the doctor', () => {
  const { notifications, opened } = tell([
    alert({ id: 'a', jobId: '7-1' }),
    alert({ id: 'b', rule: 'died-on-full-card', severity: 'critical', gpuIndex: 1, jobId: '8-1' }),
  ]);
  notifications.clickNotice('a');
  notifications.clickNotice('b');
  expect(opened).toEqual([
    { place: 'workstation', gpuIndex: 0, jobId: '7-1' },
    { place: 'doctor', gpuIndex: 1, jobId: '8-1' },
  ]);
});

it('tells the most urgent of many and counts the others', () => {
  const many = Array.from({ length: 8 }, (_, index) =>
    alert({
      id: `hot/${index}`,
      rule: 'hot',
      gpuIndex: index,
      severity: index === 5 ? 'critical' : 'warning',
    }),
  );
  const { notifications, told } = tell(many);
  expect(notifications.shown.map(({ id }) => id)).toEqual(['hot/5', 'hot/0', 'more']);
  expect(told[2]).toBe('6 more alerts: The Workstation shows them all.');
});
