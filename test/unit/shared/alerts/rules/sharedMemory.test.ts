import { expect, test } from 'vitest';
import { sharedMemory } from '../../../../../shared/alerts/rules/sharedMemory';
import { noAlerts, watchAlerts } from '../../../../../shared/alerts/watch';
import { defaultSettings } from '../../../../../shared/contract/defaultSettings';
import { translate } from '../../../../../shared/i18n/translate';
import { MiB } from '../../../../../shared/units';
import { snapshotOf } from '../../contract/typedSnapshot';

const holding = (usedMiB: number | null, totalMiB: number | null = 64, time = 0) => {
  const { host } = snapshotOf({});
  const bytes = (size: number | null) => (size === null ? null : size * MiB);
  return snapshotOf({
    time,
    host: { ...host, shmTotalBytes: bytes(totalMiB), shmUsedBytes: bytes(usedMiB) },
  });
};
const phaseWith = (usedMiB: number | null, totalMiB?: number | null) =>
  sharedMemory.conditions({
    snapshot: holding(usedMiB, totalMiB),
    thresholds: defaultSettings.thresholds,
    oomExits: [],
  })[0]?.phase ?? null;

test('speaks from 90 % on, holds down to 85 %, and says nothing where nothing is known', () => {
  expect([50, 54.4, 55, 57.6, 64].map((used) => phaseWith(used))).toEqual([null, null, 'hold', 'on', 'on']);
  expect([phaseWith(null), phaseWith(10, null), phaseWith(0, 0)]).toEqual([null, null, null]);
});

test('a container that runs out of it is warned after five seconds, in both languages', () => {
  const settings = { ...defaultSettings, mutedCards: [] };
  const seconds = [0, 1, 2, 3, 4, 5];
  let memory = noAlerts;
  const raised = seconds.map((time) => {
    const step = watchAlerts(memory, holding(60, 64, time), settings);
    memory = step.memory;
    return step.raised;
  });
  expect(raised.map((alerts) => alerts.length)).toEqual([0, 0, 0, 0, 0, 1]);
  const [alert] = raised.at(-1) ?? [];
  expect(alert).toMatchObject({ id: 'shared-memory', rule: 'shared-memory', severity: 'warning' });
  expect(alert === undefined ? '' : translate('en', alert.text)).toBe(
    'Shared memory (/dev/shm) is 94 % full, 4 MiB left. Data-loader workers that find none end with a bus error; containers get more with --shm-size.',
  );
  expect(alert === undefined ? '' : translate('zh-CN', alert.text)).toContain('还剩 4 MiB');
});
