import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. Every path of the build starts here, never at the folder a command was typed in. */
export const root = path.resolve(fileURLToPath(new URL('../..', import.meta.url)));

/** What the bundler writes and the app is started from. */
export const distFolder = path.join(root, 'dist');

/** What may be deleted at any time and is made again: an Electron, test reports, temporary builds. */
export const cacheFolder = path.join(root, '.cache');

/** An app folder like the checkout (package.json and dist/), with the build that end-to-end tests start. */
export const testAppFolder = path.join(cacheFolder, 'test-app');
