import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveAsset, schemePrivileges, serveRenderer } from '../../../../electron/desktop/protocol';
import { FakeLog } from '../fakes';

const folder = path.resolve('/app/dist/renderer');

describe('resolveAsset', () => {
  it.each([
    ['app://headroom/index.html', 'index.html', 'text/html; charset=utf-8'],
    ['app://headroom/', 'index.html', 'text/html; charset=utf-8'],
    ['app://headroom/index.html?place=plan#top', 'index.html', 'text/html; charset=utf-8'],
    ['app://headroom/assets/main-1a2b.js', 'assets/main-1a2b.js', 'text/javascript; charset=utf-8'],
    ['app://headroom/assets/main.css', 'assets/main.css', 'text/css; charset=utf-8'],
    ['app://headroom/a%20b.svg', 'a b.svg', 'image/svg+xml'],
    ['app://headroom/a/../index.html', 'index.html', 'text/html; charset=utf-8'],
  ])('finds %s', (url, file, contentType) => {
    expect(resolveAsset(url, folder)).toEqual({ file: path.join(folder, file), contentType });
  });

  it.each([
    ['another host', 'app://elsewhere/index.html'],
    ['a host that begins like ours', 'app://headroom.example/index.html'],
    ['a port', 'app://headroom:81/index.html'],
    ['a user', 'app://a:b@headroom/index.html'],
    ['another scheme', 'file:///app/dist/renderer/index.html'],
    ['no URL', 'index.html'],
    ['encoded slashes that climb out', 'app://headroom/..%2f..%2fmain.js'],
    ['wholly encoded climbing', 'app://headroom/%2e%2e%2f%2e%2e%2fetc%2fshadow.json'],
    ['climbing from inside a folder', 'app://headroom/assets/..%2f..%2f..%2fpackage.json'],
    ['backslashes', 'app://headroom/..\\..\\main.js'],
    ['encoded backslashes', 'app://headroom/..%5c..%5cmain.js'],
    ['a sister folder with the same beginning', 'app://headroom/..%2frenderer-old/index.html'],
    ['a NUL', 'app://headroom/index.html%00.png'],
    ['a broken escape', 'app://headroom/%E0%A4%A.html'],
    ['a kind of file that we do not serve', 'app://headroom/notes.txt'],
    ['a file without a kind', 'app://headroom/passwd'],
    ['the folder itself', 'app://headroom/assets/'],
  ])('refuses %s', (_name, url) => {
    expect(resolveAsset(url, folder)).toBeNull();
  });

  it('takes a doubly encoded path as a strange file name, never as a way out', () => {
    expect(resolveAsset('app://headroom/%252e%252e%252fmain.js', folder)).toEqual({
      file: path.join(folder, '%2e%2e%2fmain.js'),
      contentType: 'text/javascript; charset=utf-8',
    });
  });

  it('never leaves the folder, whatever is asked', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '%2e%2e',
      '%2E.',
      '/',
      '%2f',
      '%5c',
      '\\',
      '%00',
      'a',
      '.js',
      '%25',
      '?',
      '#',
      '//',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 12 }), (pieces) => {
        const asset = resolveAsset(`app://headroom/${pieces.join('')}.js`, folder);
        return asset === null || asset.file.startsWith(folder + path.sep);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the app: protocol', () => {
  let root: string;
  let request: (url: string, method?: string) => Promise<Response>;
  const log = new FakeLog();

  beforeAll(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'headroom-protocol-'));
    await mkdir(path.join(root, 'renderer'));
    await writeFile(path.join(root, 'renderer/index.html'), '<h1>hello</h1>');
    await writeFile(path.join(root, 'secret.json'), '{}');
    const schemes: string[] = [];
    serveRenderer(
      {
        handle: (scheme, handler) => {
          schemes.push(scheme);
          request = (url, method = 'GET') =>
            Promise.resolve(handler(new Request(url, { method }) as never)) as Promise<Response>;
        },
      },
      path.join(root, 'renderer'),
      log,
    );
    expect(schemes).toEqual(['app']);
  });
  afterAll(() => rm(root, { recursive: true }));

  it('serves a page with its type, the content security policy and no sniffing', async () => {
    const response = await request('app://headroom/index.html');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('<h1>hello</h1>');
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    });
  });

  it('answers 404 for a file that is not there', async () => {
    expect((await request('app://headroom/gone.js')).status).toBe(404);
  });

  it('answers 403 for a way out and for anything but reading, with the policy all the same', async () => {
    for (const refused of [
      await request('app://headroom/..%2fsecret.json'),
      await request('app://headroom/index.html', 'POST'),
    ]) {
      expect(refused.status).toBe(403);
      expect(refused.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await refused.text()).toBe('Refused');
    }
    expect(log.lines.filter((line) => line.includes('secret.json'))).toHaveLength(1);
  });

  it('has a scheme that is bound by the policy', () => {
    expect(schemePrivileges).toEqual({
      scheme: 'app',
      privileges: { standard: true, secure: true, supportFetchAPI: true, bypassCSP: false },
    });
  });
});
