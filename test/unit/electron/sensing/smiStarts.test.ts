/** How often nvidia-smi is started: each start costs more than minutes of a query that goes on. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ComputeApps } from '../../../../electron/sensing/computeApps';
import { NvidiaSmi } from '../../../../electron/sensing/nvidiaSmi';
import { SmiDetails } from '../../../../electron/sensing/smiDetails';
import type { ProgramCall } from '../../../../electron/programs/programCall';
import { nodeProgram, temporaryFolder, until } from './support';

interface Listed {
  readonly pid: number;
  readonly type: 'C' | 'G' | 'C+G';
}

const compute = (pid: number): Listed => ({ pid, type: 'C' });

function reportOf(processes: readonly Listed[], inCard = ''): string {
  const rows = processes.map(
    ({ pid, type }) =>
      `<process_info><pid>${pid}</pid><type>${type}</type><process_name>python3</process_name><used_memory>7 MiB</used_memory></process_info>`,
  );
  return `<nvidia_smi_log><driver_version>580.1</driver_version><cuda_version>13.0</cuda_version><attached_gpus>1</attached_gpus>
    <gpu id="00000000:01:00.0"><uuid>GPU-a</uuid>${inCard}<processes>${rows.join('')}</processes></gpu></nvidia_smi_log>`;
}

/** An nvidia-smi that prints a round of one card and of some processes every few milliseconds, and counts its starts. */
function countedSmi(pids: readonly number[], report: string) {
  const folder = temporaryFolder();
  const [log, reportFile] = [path.join(folder, 'starts'), path.join(folder, 'report.xml')];
  writeFileSync(log, '');
  const tell = (text: string): void => writeFileSync(reportFile, text);
  tell(report);
  const script = `
    const fs = require('node:fs');
    const args = process.argv.slice(1);
    fs.appendFileSync(process.env.START_LOG, args.map((arg) => arg.split('=')[0]).join(' ') + '\\n');
    const fields = args.find((arg) => arg.startsWith('--query-'))?.split('=')[1].split(',') ?? [];
    const values = { count: 1, index: 0, uuid: 'GPU-a', gpu_uuid: 'GPU-a', 'pci.bus_id': '00000000:01:00.0',
      name: 'NVIDIA Test', 'memory.total': 1000, 'memory.used': 10, process_name: 'python3', used_gpu_memory: 7 };
    const two = (n) => String(n).padStart(2, '0');
    let round = 0;
    const say = () => {
      values['memory.used'] = 10 + (round % 2);
      const timestamp = '2026/01/01 ' + two(Math.floor(round / 3600)) + ':' + two(Math.floor(round / 60) % 60) + ':' + two(round % 60) + '.000';
      round += 1;
      const pids = fields.includes('pid') ? ${JSON.stringify(pids)} : [0];
      for (const pid of pids)
        console.log(fields.map((field) => ({ ...values, timestamp, pid })[field] ?? '[N/A]').join(', '));
    };
    if (args.includes('-x')) process.stdout.write(fs.readFileSync(process.env.REPORT));
    else if (fields.length === 0) process.exitCode = 2;
    else setInterval(say, 20);`;
  return {
    call: nodeProgram(script, { START_LOG: log, REPORT: reportFile }),
    tell,
    starts: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
  };
}

const byName = (left: string, right: string): number => left.localeCompare(right);

it('a minute of readings takes three starts: both queries, and one detailed report', async () => {
  const { call, starts } = countedSmi([4242, 4343], reportOf([compute(4242), compute(4343)]));
  vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  let seconds = 0;
  const smi = new NvidiaSmi({
    call,
    intervalMs: 1000,
    attachedBuses: [],
    isSuspicious: () => false,
    onTick: () => {
      // The clock stands until all have answered, as each round is a second of it.
      if (!smi.isSettled()) return;
      seconds += 1;
      vi.setSystemTime(Date.now() + 1000);
    },
    onFailure: () => undefined,
    log: () => undefined,
  });
  onTestFinished(() => smi.stop());
  smi.start();
  await until('a minute of rounds', () => seconds >= 60);
  expect(smi.readings(Date.now())).toMatchObject({ apps: [{ pid: 4242 }, { pid: 4343 }], problems: [] });
  expect(starts().sort(byName)).toEqual([
    '--query-compute-apps --format -l 1',
    '--query-gpu --format -l 1',
    '-q -x',
  ]);
});

it('the list of processes comes every five seconds after a minute in which no memory moved, and is back as soon as some does', async () => {
  const { call, starts } = countedSmi([4242], '');
  let rounds = 0;
  const apps = new ComputeApps({
    call,
    intervalMs: 1000,
    only: () => null,
    onRound: () => (rounds += 1),
    log: () => undefined,
  });
  onTestFinished(() => apps.stop());
  const cardRounds = (count: number, used: number | null): void => {
    for (let round = 0; round < count; round += 1) apps.notice([used, 5]);
  };
  apps.start(Date.now());
  await until('the list', () => rounds > 0);
  cardRounds(60, 10);
  cardRounds(100, null); // What cannot be read may move at any time.
  expect(starts()).toEqual(['--query-compute-apps --format -l 1']);
  cardRounds(61, 10);
  await until('the slower one', () => starts().length === 2);
  rounds = 0;
  await until('its list', () => rounds > 0);
  expect(apps.list(Date.now() + 7000)).toMatchObject([{ pid: 4242 }]);
  cardRounds(100, 10);
  cardRounds(1, 11);
  // Until the faster one has answered, the list that was is the list.
  expect(apps.list(Date.now())).toMatchObject([{ pid: 4242 }]);
  await until('the faster one', () => starts().length === 3);
  expect(starts()).toEqual(['1', '5', '1'].map((seconds) => `--query-compute-apps --format -l ${seconds}`));
});

/** Plays seconds with the pids that are listed at each, and waits for every report; answers when reports were asked for. */
async function reportsIn(
  call: ProgramCall,
  starts: () => readonly string[],
  seconds: number,
  pidsAt: (second: number) => readonly number[],
  isSuspicious = false,
): Promise<readonly number[]> {
  const details = new SmiDetails(
    call,
    () => null,
    () => undefined,
  );
  onTestFinished(() => details.stop());
  const askedAt: number[] = [];
  for (let second = 0; second <= seconds; second += 1) {
    details.notice(pidsAt(second));
    details.tick(second * 1000, 1, isSuspicious);
    if (Reflect.get(details, 'running') !== true) continue;
    askedAt.push(second);
    await until('the report', () => Reflect.get(details, 'running') === false);
  }
  expect(starts().filter((line) => line === '-q -x')).toHaveLength(askedAt.length);
  return askedAt;
}

it('a machine whose queries tell all is asked for a report every ten minutes', async () => {
  const { call, starts } = countedSmi([], reportOf([compute(7)]));
  expect(await reportsIn(call, starts, 1300, () => [7])).toEqual([0, 601, 1202]);
});

it('every two minutes where desktop programs are, or where memory is held that no process holds', async () => {
  const desktop = countedSmi([], reportOf([compute(7), { pid: 8, type: 'G' }]));
  expect(await reportsIn(desktop.call, desktop.starts, 300, () => [7])).toEqual([0, 121, 242]);
  const suspicious = countedSmi([], reportOf([]));
  expect(await reportsIn(suspicious.call, suspicious.starts, 300, () => [], true)).toEqual([0, 121, 242]);
});

it('every five seconds where MIG is, whose memory is told nowhere else', async () => {
  const mig =
    '<mig_devices><mig_device><index>0</index><gpu_instance_id>1</gpu_instance_id><compute_instance_id>0</compute_instance_id></mig_device></mig_devices>';
  const { call, starts } = countedSmi([], reportOf([], mig));
  expect(await reportsIn(call, starts, 13, () => [])).toEqual([0, 6, 12]);
});

it('a new process is worth a report, and programs that come and go are worth ever fewer', async () => {
  const once = countedSmi([], reportOf([compute(7)]));
  expect(await reportsIn(once.call, once.starts, 100, (second) => (second < 30 ? [7] : [7, 9]))).toEqual([
    0, 30,
  ]);
  const restless = countedSmi([], reportOf([]));
  expect(await reportsIn(restless.call, restless.starts, 400, (second) => [second + 100])).toEqual([
    0, 6, 18, 42, 90, 186, 306,
  ]);
});
