/** The stand-in nvidia-smi, built once a test file, and a workstation of which a test can be sure that it ends. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { findScene } from '../../../../electron/simulation/scenes';
import { SimulatedWorkstation, type SimulationOptions } from '../../../../electron/simulation/workstation';

const root = path.resolve(import.meta.dirname, '../../../..');

/** Builds the stand-in before the tests of the file that calls this; answers where it will be. */
export function builtStandIn(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'headroom-test-'));
  const file = path.join(folder, 'nvidiaSmi.cjs');
  beforeAll(() =>
    build({
      absWorkingDir: root,
      entryPoints: ['electron/simulation/nvidiaSmi.ts'],
      outfile: file,
      bundle: true,
      platform: 'node',
      format: 'cjs',
    }),
  );
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return file;
}

export function startWorkstation(
  standInPath: string,
  sceneId: string,
  options: Partial<SimulationOptions> = {},
): SimulatedWorkstation {
  const scene = findScene(sceneId);
  if (scene === null) throw new Error(`no scene is called ${sceneId}`);
  const workstation = SimulatedWorkstation.start(scene, {
    standInPath,
    nodePath: process.execPath,
    ...options,
  });
  onTestFinished(() => workstation.stop());
  return workstation;
}

export interface Answer {
  readonly exitCode: number;
  readonly text: string;
}

/** What the stand-in of a workstation answers to a command line. */
export function ask(
  workstation: SimulatedWorkstation,
  args: readonly string[],
  timeoutMs = 60_000,
): Promise<Answer> {
  const { command, leadingArguments, environment } = workstation.nvidiaSmi;
  return new Promise((resolve) => {
    execFile(
      command,
      [...leadingArguments, ...args],
      { env: { ...process.env, ...environment }, timeout: timeoutMs, killSignal: 'SIGKILL' },
      (error, stdout) => resolve({ exitCode: error === null ? 0 : Number(error.code ?? -1), text: stdout }),
    );
  });
}
