import path from 'node:path';
import { importTypeScript } from './typescript.mjs';
import { Failure } from './tools/failure.mjs';
import { root } from './tools/paths.mjs';

const source = path.join(root, 'electron/desktop/contentSecurityPolicy.ts');

/**
 * Writes the app's content security policy into the page as well: a second lock beside the header, for a page that
 * is opened in any other way. `frame-ancestors` counts in the header only, and Chromium complains of it here.
 *
 * @returns {import('vite').Plugin}
 */
export function contentPolicyInPage() {
  return {
    name: 'content-policy-in-page',
    async transformIndexHtml() {
      const { contentSecurityPolicy } = await importTypeScript(source);
      if (typeof contentSecurityPolicy !== 'string') throw new Failure(`${source} exports no policy.`);
      const directives = contentSecurityPolicy.split(/;\s*/);
      const content = directives.filter((directive) => !directive.startsWith('frame-ancestors')).join('; ');
      const attrs = { 'http-equiv': 'Content-Security-Policy', content };
      return [{ tag: 'meta', attrs, injectTo: 'head-prepend' }];
    },
  };
}
