import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packApp } from '../../../build/package/package.mjs';
import { root } from '../../../build/tools/paths.mjs';

const folder = path.join(root, 'build/package');

describe('the shell scripts of packages', () => {
  test.each(['headroom', 'afterInstall.tpl', 'afterRemove.tpl'])(
    '%s is a script that sh understands',
    (name) => {
      const text = readFileSync(path.join(folder, name), 'utf8')
        .replaceAll('${sanitizedProductName}', 'Headroom')
        .replaceAll('${executable}', 'headroom-app');
      const { status, stderr } = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8', timeout: 10_000 });
      expect(stderr).toBe('');
      expect(status).toBe(0);
    },
  );
});

test('an unknown kind of package is refused in one line, before anything is made', async () => {
  await expect(packApp(['tar.gz', 'zip'], path.join(root, 'nowhere'))).rejects.toThrow(
    'there is no package "zip": choose from dir, tar.gz, deb, AppImage, rpm.',
  );
});

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly uses?: string }[] }>>;
}

test('workflows take only actions that are pinned by commit, with the version beside it', () => {
  const workflows = path.join(root, '.github/workflows');
  const files = readdirSync(workflows);
  expect(files).toEqual(['release.yml']);
  for (const file of files) {
    const text = readFileSync(path.join(workflows, file), 'utf8');
    const { jobs } = parse(text) as Workflow;
    const used = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(used.length).toBeGreaterThan(3);
    for (const action of used) {
      expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      expect(text).toMatch(new RegExp(`${action} # v\\d+\\.\\d+\\.\\d+\\n`));
    }
  }
});
