import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { AlertStore } from '../../../../electron/storage/alertStore';
import type { AlertRecord } from '../../../../shared/alerts/watch';
import { message } from '../../../../shared/i18n/message';
import { FakeLog } from '../fakes';
import { temporaryFolder } from '../sensing/support';

const hot: AlertRecord = {
  alert: {
    id: 'hot/GPU-0',
    rule: 'hot',
    severity: 'warning',
    gpuIndex: 0,
    jobId: null,
    jobTitle: null,
    text: message('alerts.hot', { card: 0, celsius: 91 }),
    since: 100,
  },
  endedAt: 160,
  outcome: 'eased',
};

it('gives back what an earlier run saved, the last of several writes', async () => {
  const file = path.join(temporaryFolder(), 'alerts.json');
  const store = await AlertStore.open(file, new FakeLog());
  expect(store.saved()).toEqual([]);
  store.save([]);
  store.save([hot]);
  await store.flush();
  expect((await AlertStore.open(file, new FakeLog())).saved()).toEqual([hot]);
});

it.each(['', '{"a":', '{}', '[1]', JSON.stringify([{ ...hot, outcome: 'odd' }])])(
  'a damaged file (%s) counts as nothing, and is replaced by the next write',
  async (text) => {
    const file = path.join(temporaryFolder(), 'alerts.json');
    writeFileSync(file, text);
    const store = await AlertStore.open(file, new FakeLog());
    expect(store.saved()).toEqual([]);
    store.save([hot]);
    await store.flush();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([hot]);
  },
);

it('leaves out what it does not understand, and keeps the rest', async () => {
  const file = path.join(temporaryFolder(), 'alerts.json');
  const strange = { ...hot, alert: { ...hot.alert, text: { key: 'alerts.notYetWritten', values: {} } } };
  writeFileSync(file, JSON.stringify([strange, hot, { ...hot, endedAt: 'late' }]));
  expect((await AlertStore.open(file, new FakeLog())).saved()).toEqual([hot]);
});

it('a disk that refuses is written to the log and stops nothing', async () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'file'), '');
  const log = new FakeLog();
  const store = await AlertStore.open(path.join(folder, 'file/alerts.json'), log);
  store.save([hot]);
  await store.flush();
  expect(log.lines[0]).toMatch(/^warn The alerts cannot be remembered\./);
});

it('reads what was written before alerts had the title of a job, and leaves out rules that it does not know', async () => {
  const file = path.join(temporaryFolder(), 'alerts.json');
  const { jobTitle: _later, ...older } = hot.alert;
  const foreign = { ...hot, alert: { ...hot.alert, rule: 'a-rule-of-tomorrow' } };
  writeFileSync(file, JSON.stringify([{ ...hot, alert: older }, foreign]));
  expect((await AlertStore.open(file, new FakeLog())).saved()).toEqual([hot]);
});
