import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { temporaryFolder } from './support';

/** What the real /proc refuses to a user without rights, and what it tells all the same. */
it('facts that the kernel refuses are null with a reason, for a process of another user or one that hides', async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755); // The reader may become another user.
  const reader = path.join(folder, 'reader.mjs');
  await build({
    entryPoints: [path.join(import.meta.dirname, 'refusedReader.ts')],
    outfile: reader,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const program = path.join(folder, 'sleep');
  copyFileSync(realpathSync('/bin/sleep'), program);
  chmodSync(program, 0o111);

  const answer: unknown = JSON.parse(
    execFileSync(process.execPath, [reader, program], { encoding: 'utf8', timeout: 30_000 }),
  );
  const { uid, told } = answer as { uid: number; told: readonly unknown[] };
  expect(uid).not.toBe(0);
  // As root there is a process of root's besides, the one that runs this test.
  expect(told).toHaveLength(process.getuid?.() === 0 ? 2 : 1);
  for (const facts of told)
    expect(facts).toMatchObject({
      environment: null,
      openDevices: null,
      workingFolder: null,
      ioBytes: null,
      writesCheckpoint: null,
      unreadable: expect.arrayContaining(
        (['environment', 'openFiles', 'workingFolder', 'inputOutput'] as const).map((group): unknown => ({
          facts: group,
          reason: 'permission',
        })),
      ) as unknown,
      // What everybody may know.
      state: expect.stringMatching(/^[RSD]$/) as unknown,
      startTime: expect.any(Number) as unknown,
      user: expect.any(String) as unknown,
    });
  expect(told[0]).toMatchObject({ command: [program, '60'], uid });
});
