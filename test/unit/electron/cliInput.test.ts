import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandError } from '../../../electron/commands/command';
import { readChunks } from '../../../electron/commands/input';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'headroom-input-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function* from(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function read(file: string, maxBytes: number, stdin = from()): Promise<string> {
  let text = '';
  for await (const part of readChunks(file, maxBytes, stdin, new AbortController().signal)) text += part;
  return text;
}

function written(name: string, content: string | Uint8Array): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

async function refusal(file: string, maxBytes: number, stdin = from()): Promise<string> {
  const error: unknown = await read(file, maxBytes, stdin).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(CommandError);
  return error instanceof CommandError ? error.text.key : '';
}

describe('reading what a user names', () => {
  test('UTF-8, with characters that lie across two chunks', async () => {
    const bytes = new TextEncoder().encode('显存 MiB');
    expect(await read('-', 100, from(bytes.slice(0, 1), bytes.slice(1)))).toBe('显存 MiB');
    expect(await read(written('utf8.txt', 'memhög'), 100)).toBe('memhög');
  });

  test('UTF-16 with a byte-order mark, as PowerShell writes', async () => {
    const little = new Uint8Array([0xff, 0xfe, 0x47, 0, 0x50, 0, 0x55, 0]);
    const big = new Uint8Array([0xfe, 0xff, 0, 0x47, 0, 0x50, 0, 0x55]);
    expect(await read(written('le.txt', little), 100)).toBe('GPU');
    expect(await read('-', 100, from(big))).toBe('GPU');
  });

  test('UTF-16 without a byte-order mark', async () => {
    const little = new Uint8Array([...'GPU 0 has'].flatMap((character) => [character.charCodeAt(0), 0]));
    expect(await read('-', 100, from(little))).toBe('GPU 0 has');
  });

  test('bytes that are no text become replacement characters', async () => {
    expect(await read(written('bad.txt', new Uint8Array([0x41, 0xff, 0x42])), 100)).toBe('A\ufffdB');
  });

  test('the limit counts, for files and for stdin', async () => {
    const file = written('large.txt', 'x'.repeat(1001));
    expect(await refusal(file, 1000)).toBe('cli.fileTooLarge');
    expect(await read(file, 1001)).toHaveLength(1001);
    expect(await refusal('-', 3, from(new Uint8Array(2), new Uint8Array(2)))).toBe('cli.fileTooLarge');
  });

  test('missing files, folders and paths through files', async () => {
    expect(await refusal(path.join(folder, 'none'), 10)).toBe('cli.fileMissing');
    expect(await refusal(folder, 10)).toBe('cli.fileIsFolder');
    expect(await refusal(path.join(written('f', ''), 'below'), 10)).toBe('cli.fileMissing');
  });

  test('an empty file is empty text', async () => {
    expect(await read(written('empty', ''), 10)).toBe('');
  });
});
