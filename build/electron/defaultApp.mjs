/**
 * The part of an official Electron that reads an app's folder from the command line (`electron .`). Packaged
 * runtimes have none, so the stand-in gets this one.
 */
const main = `
const { app } = require('electron');
const fs = require('fs');
const path = require('path');

const folder = process.argv.slice(1).find((argument) => !argument.startsWith('-'));
if (folder === undefined) {
  process.stderr.write('Usage: electron FOLDER\\n');
  app.exit(2);
} else {
  const root = path.resolve(folder);
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  Object.defineProperty(process, 'defaultApp', { configurable: false, enumerable: true, value: true });
  app.setAppPath(root);
  app.setName(manifest.productName || manifest.name);
  app.setVersion(manifest.version);
  if (manifest.desktopName && app.setDesktopName) app.setDesktopName(manifest.desktopName);
  require(path.join(root, manifest.main || 'index.js'));
}
`;

/** @type {Readonly<Record<string, string>>} */
export const defaultAppFiles = {
  'package.json': JSON.stringify({ name: 'default-app', main: 'main.js' }),
  'main.js': main,
};
