import { existsSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../build/tools/command.mjs';
import { root } from '../../build/tools/paths.mjs';

test('npm start without a screen and without a person writes a picture, and ends', async () => {
  const picture = path.join(root, 'screenshots/start.png');
  rmSync(picture, { force: true });
  const { DISPLAY: _display, WAYLAND_DISPLAY: _wayland, ...env } = process.env;
  const result = await run(process.execPath, [path.join(root, 'build/start.mjs')], {
    cwd: path.parse(root).root,
    env,
    timeoutMs: 170_000,
  });
  expect(result.output).toContain(`screenshot: ${picture}`);
  expect(result.code).toBe(0);
  expect(existsSync(picture) && statSync(picture).size).toBeGreaterThan(10_000);
});
