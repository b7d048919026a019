import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseCommand, parseProcStat, parseRankEnvironment } from '../../../../shared/jobs/procStat';
import { isRunning, temporaryFolder, until } from '../sensing/support';
import { startWorkstation } from './standIn';

const noStandIn = '/nowhere/nvidiaSmi.cjs';
const root = path.resolve(import.meta.dirname, '../../../..');
const proc = (pid: number, file: string): string => readFileSync(`/proc/${pid}/${file}`, 'utf8');

function pidOf(pids: ReadonlyMap<string, number>, key: string): number {
  const pid = pids.get(key);
  if (pid === undefined) throw new Error(`${key} does not live`);
  return pid;
}

describe.runIf(process.platform === 'linux')('the processes behind a scene', () => {
  it('look like a run of torchrun: command lines, environment, parents, sessions, names, device files', async () => {
    const workstation = startWorkstation(noStandIn, 'eight-healthy');
    await until('25 processes', () => workstation.pids().size === 25);
    const pids = workstation.pids();
    const launcher = pidOf(pids, 'pretrain.launcher');
    const rank = pidOf(pids, 'pretrain.rank3');
    const worker = pidOf(pids, 'pretrain.rank3.worker0');

    expect(parseCommand(proc(launcher, 'cmdline'))).toEqual([
      'python3',
      '-m',
      'torch.distributed.run',
      '--nproc_per_node=8',
      '--master_port=29500',
      'pretrain.py',
      '--config',
      'configs/llama-1b.yaml',
    ]);
    expect(parseCommand(proc(rank, 'cmdline'))?.slice(0, 3)).toEqual([
      '.venv/bin/python3',
      '-u',
      'pretrain.py',
    ]);
    expect(parseRankEnvironment(proc(rank, 'environ'))).toMatchObject({
      rank: 3,
      localRank: 3,
      worldSize: 8,
      masterPort: 29_500,
      torchelasticRunId: 'none',
    });
    expect(parseProcStat(proc(launcher, 'stat'))).toMatchObject({ name: 'pt_elastic' });
    expect(parseProcStat(proc(rank, 'stat'))).toMatchObject({
      name: 'python3',
      parentPid: launcher,
      session: rank,
    });
    expect(parseProcStat(proc(worker, 'stat'))).toMatchObject({
      name: 'pt_data_worker',
      parentPid: rank,
      session: rank,
    });
  });

  it('are gone after stop, and so is their folder', async () => {
    const workstation = startWorkstation(noStandIn, 'stray-contexts');
    await until('its processes', () => workstation.pids().size === 9);
    const pids = [...workstation.pids().values()];
    const folder = path.dirname(path.dirname(workstation.devicePrefix));
    expect(existsSync(folder)).toBe(true);
    await workstation.stop();
    expect(pids.filter(isRunning)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  it('the launcher dies and its ranks live on, as the scene says', async () => {
    // The launcher dies at second 3: five seconds from now, so that a busy machine has seen all of them live.
    const workstation = startWorkstation(noStandIn, 'orphaned-ranks', { speed: 4, offsetSeconds: -17 });
    await until(
      'its processes',
      () => workstation.pids().has('left.launcher') && workstation.pids().size >= 7,
    );
    const rank = pidOf(workstation.pids(), 'left.rank0');
    await until('the end of the launcher', () => !workstation.pids().has('left.launcher'));
    expect(isRunning(rank)).toBe(true);
    await until('a new parent', () => parseProcStat(proc(rank, 'stat'))?.parentPid !== undefined);
  });

  it('a process that a person ends is not started again', async () => {
    const workstation = startWorkstation(noStandIn, 'slow-leak');
    await until('its processes', () => workstation.pids().size === 2);
    process.kill(pidOf(workstation.pids(), 'steady'), 'SIGTERM');
    await until('its end', () => !workstation.pids().has('steady'));
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect([...workstation.pids().keys()]).toEqual(['leaking']);
  });

  it('a process ends and comes back where the scene says so', async () => {
    const workstation = startWorkstation(noStandIn, 'two-3090-oom', { speed: 30 });
    await until('the training', () => workstation.pids().has('train'));
    const first = pidOf(workstation.pids(), 'train');
    await until('its end', () => !workstation.pids().has('train'));
    await until('the next attempt', () => workstation.pids().has('train'));
    expect(pidOf(workstation.pids(), 'train')).not.toBe(first);
  });

  it('die with the program that plays them when it is killed, and the next one clears their folder away', async () => {
    // A temporary folder of its own, as any scene that somebody else plays clears away what is left in the common one.
    vi.stubEnv('TMPDIR', temporaryFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    const program = path.join(temporaryFolder(), 'player.cjs');
    await build({
      stdin: {
        contents: `
          import { findScene } from './electron/simulation/scenes';
          import { SimulatedWorkstation } from './electron/simulation/workstation';
          const scene = findScene('orphaned-ranks');
          if (scene === null) throw new Error('no scene');
          const workstation = SimulatedWorkstation.start(scene, { standInPath: '', nodePath: '' });
          setInterval(() => {
            const pids = [...workstation.pids().values()];
            if (pids.length >= 7) process.stdout.write(JSON.stringify({ pids, folder: workstation.devicePrefix }) + '\\n');
          }, 100);`,
        resolveDir: root,
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      outfile: program,
    });
    const player = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void player.kill('SIGKILL'));
    let text = '';
    player.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await until('its processes', () => text.includes('\n'));
    const told: unknown = JSON.parse(text.slice(0, text.indexOf('\n')));
    if (typeof told !== 'object' || told === null || !('pids' in told) || !Array.isArray(told.pids))
      throw new Error(`it told ${text}`);
    const pids = told.pids.map(Number);
    expect(pids.filter(isRunning)).toEqual(pids);

    player.kill('SIGKILL');
    await until('the end of all of them', () => !pids.some(isRunning));
    const left = 'folder' in told ? path.basename(path.dirname(path.dirname(String(told.folder)))) : '';
    expect(readdirSync(tmpdir())).toContain(left);
    startWorkstation(noStandIn, 'slow-leak');
    expect(readdirSync(tmpdir())).not.toContain(left);
  });
});
