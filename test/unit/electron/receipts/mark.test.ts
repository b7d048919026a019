import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parseRankEnvironment } from '../../../../shared/jobs/procStat';
import { launchFolder } from '../../../../shared/launch/folder';
import { planId } from '../../../../shared/launch/savedPlan';
import { basePlan, variants } from '../../shared/launch/variants';
import { temporaryFolder, until } from '../sensing/support';

/** A program of that name that says its pid and waits. */
function standIn(folder: string, name: string): void {
  const file = path.join(folder, name);
  writeFileSync(file, '#!/bin/sh\necho $$ "$@"\nexec sleep 60\n');
  chmodSync(file, 0o755);
}

it.each([
  ['single', 'python3', 'train.py --steps 3'],
  ['ddp', 'torchrun', '--standalone --nproc-per-node=2 train.py --steps 3'],
])(
  'launch.sh of %s starts %s in its folder, marked with the plan from the first moment',
  async (name, program, args) => {
    const plan = variants[name] ?? basePlan;
    const folder = temporaryFolder();
    const programs = temporaryFolder();
    standIn(programs, program);
    for (const file of launchFolder(plan, 'en')) writeFileSync(path.join(folder, file.name), file.text);
    const child = spawn('bash', [path.join(folder, 'launch.sh'), '--steps', '3'], {
      env: { PATH: `${programs}:/usr/bin:/bin` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await until('the program', () => said.endsWith('\n'));
    const [pid = '', ...words] = said.trim().split(' ');
    expect([Number(pid), words.join(' ')]).toEqual([child.pid, args]);
    const environment = parseRankEnvironment(readFileSync(`/proc/${pid}/environ`, 'utf8'));
    expect(environment.headroomPlan).toBe(planId(plan));
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe(folder);
  },
);
