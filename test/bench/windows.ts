import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { temporaryCopy } from '../../build/electron/copies.mjs';
import { environmentOf } from '../../build/electron/environment.mjs';
import { root } from '../../build/tools/paths.mjs';
import { endGroup } from '../e2e/harness/endGroup';
import type { BenchContext } from './bench';

/** A running app that is measured from outside. */
export interface MeasuredWindow {
  readonly pid: number;
  /** When it was started, as `performance.now()`. */
  readonly startedAtMs: number;
  /** Ends it and waits until its window is gone. */
  close(): Promise<void>;
}

const endMs = 5_000;

/** Starts Headroom with a new user data folder on a scene, past its first set-up. */
export function startHeadroom(
  context: BenchContext,
  scene: string,
  args: readonly string[] = [],
): MeasuredWindow {
  const env = { HEADROOM_SCENE: scene, HEADROOM_SETUP: 'skip' };
  return start(context, [context.appFolder, ...args], env, () => undefined);
}

/** Starts the bare window of `bare/`. */
export function startBare(context: BenchContext): MeasuredWindow {
  const copy = temporaryCopy(context.launcher, path.join(root, 'test/bench/bare'));
  return start(context, [copy.folder], {}, copy.remove);
}

function start(
  { launcher }: BenchContext,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cleanUp: () => void,
): MeasuredWindow {
  const config = mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
  if (launcher.user !== null) chownSync(config, launcher.user.uid, launcher.user.gid);
  const startedAtMs = performance.now();
  const child = spawn(launcher.command, [...launcher.flags, ...args], {
    env: environmentOf(launcher, { XDG_CONFIG_HOME: config, APPDATA: config, ...env }),
    stdio: 'ignore',
    detached: process.platform !== 'win32', // A group of its own, so that all of it can be ended.
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('Electron did not start');
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    pid,
    startedAtMs,
    async close() {
      child.kill('SIGTERM');
      await Promise.race([ended, wait(endMs)]);
      endGroup(pid);
      await ended;
      rmSync(config, { recursive: true, force: true });
      cleanUp();
    },
  };
}
