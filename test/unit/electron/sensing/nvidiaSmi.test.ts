import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NvidiaSmi } from '../../../../electron/sensing/nvidiaSmi';
import type { ProgramCall } from '../../../../electron/programs/programCall';
import type { ProblemCode } from '../../../../shared/gpu/problems';
import { nodeProgram, pause, temporaryFolder, until } from './support';

/**
 * A small nvidia-smi in JavaScript: what it does when asked for cards, and when asked for processes. It finds `fields`,
 * `args`, `row(values)` for a line, `loop(answer)` to print every 200 ms (null: nothing), `end(text, exitCode)`, and
 * `turn()`, which grows by one whenever the test has seen enough and calls `next`. Every start is noted.
 */
function smallSmi(
  cards: string,
  apps: string,
): { call: ProgramCall; starts: () => string[]; next: () => void } {
  const folder = temporaryFolder();
  const log = path.join(folder, 'starts');
  const turns = path.join(folder, 'turns');
  writeFileSync(log, '');
  writeFileSync(turns, '');
  const script = `
    const fs = require('node:fs');
    const args = process.argv.slice(1);
    fs.appendFileSync(process.env.START_LOG, args.join(' ') + '\\n');
    const query = args.find((arg) => arg.startsWith('--query-')) ?? '';
    const fields = query.split('=')[1]?.split(',') ?? [];
    const turn = () => fs.statSync(process.env.TURNS).size;
    const end = (text, code) => { process.stdout.write(text); process.exitCode = code; };
    const values = { timestamp: '2026/01/01 00:00:00.000', count: 1, index: 0, uuid: 'GPU-a', 'pci.bus_id': '00000000:01:00.0',
      name: 'NVIDIA Test, Card', driver_version: '1.2', 'memory.total': 1000, 'memory.used': 10 };
    const row = (given) => fields.map((field) => ({ ...values, ...given })[field] ?? '[N/A]').join(', ') + '\\n';
    const loop = (text) => { let n = 0; const say = () => { const t = text(n++); if (t !== null) process.stdout.write(t); }; say(); setInterval(say, 200); };
    if (args.includes('-x')) end('<nvidia_smi_log><driver_version>1.2</driver_version><cuda_version>9.9</cuda_version><attached_gpus>1</attached_gpus><gpu id="00000000:01:00.0"><uuid>GPU-a</uuid></gpu></nvidia_smi_log>', 0);
    else if (query.startsWith('--query-gpu')) { ${cards} }
    else { ${apps} }`;
  return {
    call: nodeProgram(script, { START_LOG: log, TURNS: turns }),
    starts: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    next: () => appendFileSync(turns, '.'),
  };
}

function follow(call: ProgramCall, attachedBuses: readonly string[] = []) {
  let ticks = 0;
  const smi = new NvidiaSmi({
    call,
    intervalMs: 200,
    attachedBuses,
    onTick: () => (ticks += 1),
    isSuspicious: () => false,
    onFailure: () => undefined,
    log: () => undefined,
  });
  onTestFinished(() => smi.stop());
  smi.start();
  const codes = () => smi.readings(Date.now()).problems.map(({ code }) => code);
  return { smi, codes, ticks: () => ticks };
}

const answersAlways = `loop(() => row({}));`;
const saysNothing = `setInterval(() => {}, 1000);`;

describe('nvidia-smi as a source', () => {
  it('gives cards, an empty list of processes where none is printed, and the versions of the detailed report', async () => {
    const { call } = smallSmi(answersAlways, saysNothing);
    const { smi, ticks } = follow(call);
    await until('every part', () => smi.isSettled());
    const readings = smi.readings(Date.now());
    expect(readings).toMatchObject({
      apps: [],
      isStale: false,
      driverVersion: '1.2',
      problems: [],
      details: { cudaVersion: '9.9' },
    });
    expect(readings.cards).toMatchObject([
      { index: 0, name: 'NVIDIA Test, Card', memoryUsedBytes: 10 * 1024 ** 2 },
    ]);
    expect(ticks()).toBeGreaterThan(1);
  });

  it('leaves out the fields that the driver refuses, and asks for them no more', async () => {
    const { call, starts } = smallSmi(
      `const known = (field) => !['memory.reserved', 'clocks_event_reasons.active', 'gpu_recovery_action'].includes(field);
       const unknown = fields.find((field) => !known(field));
       if (unknown) end('Field "' + unknown + '" is not a valid field to query.\\n\\n', 2);
       else loop(() => row({ 'clocks_throttle_reasons.active': '0x0000000000000004' }));`,
      saysNothing,
    );
    const { smi } = follow(call);
    await until('cards', () => smi.readings(Date.now()).cards.length === 1);
    expect(smi.readings(Date.now()).cards[0]?.throttleReasons).toEqual(['sw_power_cap']);
    smi.setInterval(400);
    await until(
      'an answer at the new pace',
      () => starts().filter((line) => line.includes('-lms 400')).length >= 2,
    );
    const asked = starts().filter((line) => line.startsWith('--query-gpu'));
    expect(asked).toHaveLength(5);
    expect(asked.at(-1)).not.toMatch(/memory\.reserved|clocks_event_reasons|gpu_recovery_action/);
    expect(asked.at(-1)).toContain('clocks_throttle_reasons.active');
  });

  it('groups rows of a round, whether or not the count is known', async () => {
    const { call } = smallSmi(
      `const all = () => [0, 1, 2].map((index) => row({ index, count: '[N/A]', uuid: 'GPU-' + index, 'pci.bus_id': '00000000:0' + index + ':00.0' })).join('');
       loop(all);`,
      saysNothing,
    );
    const { smi } = follow(call);
    await until('three cards', () => smi.readings(Date.now()).cards.length === 3);
    for (let look = 0; look < 10; look += 1) {
      await pause(40);
      expect(smi.readings(Date.now()).cards.map(({ index }) => index)).toEqual([0, 1, 2]);
    }
  });

  it('passes over what is no row: messages of the driver between the answers', async () => {
    const { call } = smallSmi(
      `loop((n) => 'Xid (PCI:0000:01:00): 31\\n' + row({ 'memory.used': n }));`,
      saysNothing,
    );
    const { smi, codes } = follow(call);
    await until('cards', () => smi.readings(Date.now()).cards.length === 1);
    expect(codes()).toEqual([]);
  });

  it('a process list that ends with a process becomes empty', async () => {
    const { call, next } = smallSmi(
      answersAlways,
      `loop(() => turn() === 0 ? row({ gpu_uuid: 'GPU-a', pid: 4242, process_name: 'python3, x', used_gpu_memory: 77 }) : null);`,
    );
    const { smi } = follow(call);
    await until('the process', () => smi.readings(Date.now()).apps?.length === 1);
    expect(smi.readings(Date.now()).apps).toMatchObject([
      { gpuUuid: 'GPU-a', pid: 4242, name: 'python3, x', usedBytes: 77 * 1024 ** 2 },
    ]);
    next();
    await until('an empty list', () => smi.readings(Date.now()).apps?.length === 0);
  });

  it('keeps two rounds apart that a busy machine hands over at once', async () => {
    const at = (stamp: string) =>
      `row({ timestamp: '2026/01/01 00:00:0' + n % 10 + '.${stamp}', gpu_uuid: 'GPU-a', pid: 4242, process_name: 'p', used_gpu_memory: 7 })`;
    const { call } = smallSmi(answersAlways, `loop((n) => ${at('000')} + ${at('200')});`);
    const { smi } = follow(call);
    const listed = new Set<number>();
    await until('the list', () => {
      const { apps } = smi.readings(Date.now());
      if (apps !== null && apps.length > 0) listed.add(apps.length);
      return smi.isSettled() && listed.size > 0;
    });
    await pause(800);
    for (let look = 0; look < 10; look += 1) {
      listed.add(smi.readings(Date.now()).apps?.length ?? 1);
      await pause(40);
    }
    expect([...listed]).toEqual([1]);
  });

  it('says silence, keeps the last values meanwhile, and recovers', async () => {
    const { call, next } = smallSmi(
      `loop(() => turn() === 1 ? null : row({}));`,
      `loop(() => turn() === 1 ? null : row({ gpu_uuid: 'GPU-a', pid: 4242, process_name: 'p', used_gpu_memory: 7 }));`,
    );
    const { smi, codes } = follow(call);
    const seen = () => smi.readings(Date.now());
    await until('cards and a process', () => seen().cards.length === 1 && seen().apps?.length === 1);
    next();
    await until('silence', () => codes().includes('smi-silent'));
    expect(smi.readings(Date.now())).toMatchObject({
      isStale: true,
      cards: [{ index: 0 }],
      apps: [{ pid: 4242 }],
    });
    next();
    await until('recovery', () => codes().length === 0);
    expect(smi.readings(Date.now()).isStale).toBe(false);
  });

  it('a failure stands where the cards were, and only one child keeps asking', async () => {
    const { call, starts } = smallSmi(
      `end('Failed to initialize NVML: Driver/library version mismatch\\nNVML library version: 570.124\\n', 18);`,
      saysNothing,
    );
    const { smi, codes } = follow(call);
    await until('the failure', () => codes().includes('driver-mismatch'));
    expect(smi.isSettled()).toBe(true);
    expect(smi.readings(Date.now())).toMatchObject({
      cards: [],
      cardsReadAt: null,
      apps: null,
      isStale: true,
    });
    await until(
      'the next tries',
      () => starts().filter((line) => line.startsWith('--query-gpu')).length >= 3,
    );
    expect(starts().filter((line) => line.startsWith('--query-compute-apps')).length).toBeLessThanOrEqual(1);
  });

  it.each<[string, ProblemCode]>([
    [`end('', 0)`, 'smi-ended'],
    [`process.kill(process.pid, 'SIGSEGV'); ${saysNothing}`, 'smi-crashed'],
    [`end('Segfault of my wrapper at line 3\\n', 1)`, 'smi-unknown-text'],
    [`end('No devices were found\\n', 6)`, 'no-devices'],
    [`setInterval(() => process.stdout.write('x'.repeat(1e6)), 1)`, 'smi-flood'],
  ])('%j is told as %s', async (cards, code) => {
    const { codes } = follow(smallSmi(cards, saysNothing).call);
    await until(code, () => codes().includes(code));
  });

  it('a card that is lost is left out, kept with its last reading, and asked for again later', async () => {
    const lost = `const only = args.find((arg) => arg.startsWith('--id='));
       const card = (index) => row({ index, count: 2, uuid: 'GPU-' + index, 'pci.bus_id': '00000000:0' + (index + 1) + ':00.0', 'memory.used': 100 + index });
       if (only) { if (only !== '--id=00000000:01:00.0') throw new Error(only); loop(() => card(0)); }
       else loop((n) => {
         if (n < 3) return card(0) + card(1);
         end('Unable to determine the device handle for GPU0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU\\n', 15);
         process.exit();
       });`;
    const { smi, codes } = follow(smallSmi(lost, saysNothing).call);
    await until('both cards', () => smi.readings(Date.now()).cards.length === 2);
    await until('the loss', () => codes().includes('card-lost'));
    await until('the other card', () => !smi.readings(Date.now()).isStale);
    const readings = smi.readings(Date.now());
    expect(readings.cards.map(({ index, memoryUsedBytes }) => [index, memoryUsedBytes])).toEqual([
      [0, 100 * 1024 ** 2],
      [1, 101 * 1024 ** 2],
    ]);
    expect([...readings.lostGpuIndices]).toEqual([1]);
    expect(readings.problems).toMatchObject([{ code: 'card-lost', gpuIndex: 1 }]);
  });

  it('a card lost before the first reading is left out by the driver’s own list of cards', async () => {
    const lost = `const only = args.find((arg) => arg.startsWith('--id='));
       if (only) loop(() => row({ count: 2 }));
       else end('Unable to determine the device handle for GPU 0000:02:00.0: Unknown Error\\n', 255);`;
    const { smi } = follow(smallSmi(lost, saysNothing).call, ['00000000:01:00.0', '00000000:02:00.0']);
    await until('the other card', () => smi.readings(Date.now()).cards.length === 1);
    expect(smi.readings(Date.now()).problems).toMatchObject([{ code: 'card-unreachable' }]);
  });

  it('a row that says that its card is lost keeps the card’s last values', async () => {
    const rows = `loop((n) => n < 3 ? row({}) : fields.map((field) => field === 'index' ? 0 : '[GPU is lost]').join(', ') + '\\n');`;
    const { smi, codes } = follow(smallSmi(rows, saysNothing).call);
    await until('the loss', () => codes().includes('card-lost'));
    expect(smi.readings(Date.now()).cards).toMatchObject([{ index: 0, name: 'NVIDIA Test, Card' }]);
    expect([...smi.readings(Date.now()).lostGpuIndices]).toEqual([0]);
  });

  it('asks for the detailed report once at the start and again for a new process, not for a known one', async () => {
    const { call, starts, next } = smallSmi(
      answersAlways,
      `loop(() => [4242, ...(turn() > 0 ? [4343] : [])].map((pid) => row({ gpu_uuid: 'GPU-a', pid, process_name: 'p', used_gpu_memory: 7 })).join(''));`,
    );
    const { smi } = follow(call);
    const reports = () => starts().filter((line) => line === '-q -x').length;
    await until('the first process', () => smi.readings(Date.now()).apps?.length === 1);
    await until('the first report', () => reports() >= 1);
    const before = reports();
    next();
    await until('the second process', () => smi.readings(Date.now()).apps?.length === 2);
    await until('a further report', () => reports() > before);
    await pause(3500);
    expect(reports()).toBeLessThanOrEqual(3);
  });

  it('ends all its children when it stops', async () => {
    const { call, starts } = smallSmi(answersAlways, saysNothing);
    const { smi } = follow(call);
    await until('every part', () => smi.isSettled());
    await smi.stop();
    const before = starts().length;
    await pause(1200);
    expect(starts()).toHaveLength(before);
  });
});
