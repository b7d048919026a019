import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CustomScheme, Protocol } from 'electron';
import type { Log } from '../storage/log';
import { contentSecurityPolicy } from './contentSecurityPolicy';
import { appScheme, isOwnUrl, parseUrl } from './origin';

/** To be registered before the app is ready. Without `supportFetchAPI` module scripts cannot be fetched. */
export const schemePrivileges: CustomScheme = {
  scheme: appScheme,
  privileges: { standard: true, secure: true, supportFetchAPI: true, bypassCSP: false },
};

/** The kinds of files that the built renderer holds; nothing else is served. */
const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

export interface Asset {
  readonly file: string;
  readonly contentType: string;
}

/**
 * The file behind a URL, or null where it names none of ours: another scheme or host, a path that leaves the folder
 * (plain or encoded), a name with a backslash or NUL, or a kind of file that we do not serve.
 */
export function resolveAsset(requestUrl: string, folder: string): Asset | null {
  const url = parseUrl(requestUrl);
  if (url === null || !isOwnUrl(requestUrl)) return null;
  const decoded = decode(url.pathname);
  if (decoded === null || /[\\\0]/.test(decoded)) return null;

  const root = path.resolve(folder);
  const file = path.resolve(root, `.${decoded === '/' ? '/index.html' : decoded}`);
  if (!file.startsWith(root + path.sep)) return null;

  const contentType = contentTypes[path.extname(file).toLowerCase()];
  return contentType === undefined ? null : { file, contentType };
}

function decode(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text);
    return decoded.startsWith('/') ? decoded : null;
  } catch {
    return null; // A broken % sequence names no file.
  }
}

/** Serves the built renderer from `folder` under our own scheme, every answer with the content security policy. */
export function serveRenderer(protocol: Pick<Protocol, 'handle'>, folder: string, log: Log): void {
  // Node loads its Response when it is first used, which takes as long as starting the page's process: done meanwhile.
  setImmediate(() => new Response(null));
  protocol.handle(appScheme, async (request) => {
    const asset = request.method === 'GET' ? resolveAsset(request.url, folder) : null;
    if (asset === null) {
      log.warn(`A request was refused: ${request.method} ${request.url.slice(0, 200)}`);
      return respond(403, 'text/plain', 'Refused');
    }
    try {
      return respond(200, asset.contentType, await readFile(asset.file));
    } catch (error) {
      log.warn(`A file of the window is missing: ${asset.file}`, error);
      return respond(404, 'text/plain', 'Not found');
    }
  });
}

function respond(status: number, contentType: string, body: string | Uint8Array): Response {
  return new Response(body, {
    status,
    headers: {
      'content-type': contentType,
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    },
  });
}
