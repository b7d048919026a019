import path from 'node:path';
import { root } from './tools/paths.mjs';

/**
 * A fault as the bundlers tell it: esbuild has a text and a location, vite a message that may hold a drawn frame, with
 * colours, and sometimes the file and line beside it.
 *
 * @typedef {{ text?: string, message?: string, id?: string, location?: Place | null, loc?: Place | null }} Fault
 * @typedef {{ file?: string, line?: number }} Place
 */

/**
 * @param {unknown} error what a bundler threw
 * @returns {readonly string[] | null} a line for each fault of the sources, or null when the bundler itself failed
 */
export function describeFaults(error) {
  if (!(error instanceof Error) || !('errors' in error) || !Array.isArray(error.errors)) return null;
  return error.errors.length === 0 ? null : error.errors.map(describeFault);
}

/** @param {Fault} fault */
function describeFault(fault) {
  // eslint-disable-next-line no-control-regex -- colours begin with the escape character
  const text = (fault.text ?? fault.message ?? String(fault)).replace(/\u001b\[[0-9;]*m/g, '');
  const summary = (text.split('\n')[0] ?? '').trim();
  const framed = /\[ (.+?):(\d+):\d+ \]/.exec(text);
  const place = fault.location ?? fault.loc;
  const file = place?.file ?? fault.id ?? framed?.[1];
  const line = place?.line ?? framed?.[2];
  return file === undefined ? summary : `${shorten(file)}:${line ?? 1}: ${summary}`;
}

/** @param {string} file relative to the checkout where it is inside */
function shorten(file) {
  const relative = path.relative(root, path.resolve(root, file));
  return relative.startsWith('..') ? file : relative;
}
