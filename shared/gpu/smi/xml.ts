/**
 * A small scanner for `nvidia-smi -q -x`: elements, the attribute `id`, text. It takes what real drivers print: tags
 * closed out of order, process names with raw `<` and `&`, an end that was cut. One pass, bounded depth, no recursion.
 */

import type { LogElement } from './logCard';

interface OpenElement extends LogElement {
  children: OpenElement[];
  text: string;
}

export interface XmlScan {
  readonly root: LogElement;
  /** Whether every element that was opened was also closed. */
  readonly complete: boolean;
}

/** nvidia-smi nests six deep; what is deeper than this is not its output and stays flat. */
const maxDepth = 24;
const namePattern = /[A-Za-z_][\w.-]{0,80}/y;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));/gi, (all, decimal, hexadecimal, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? all;
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(String(hexadecimal), 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

/**
 * Reads `text` from the first tag on. Elements named in `raw` keep all up to their own closing tag as text; those in
 * `skipped` keep nothing (the lists of supported clocks are half of a document).
 */
export function scanXml(text: string, raw: ReadonlySet<string>, skipped: ReadonlySet<string>): XmlScan {
  const root: OpenElement = { name: '', id: null, children: [], text: '' };
  const stack: OpenElement[] = [root];
  const lastClose = new Map<string, number>();
  let complete = true;
  let position = 0;
  while (position < text.length) {
    const tag = text.indexOf('<', position);
    const current = stack.at(-1) ?? root;
    if (tag < 0) {
      current.text += text.slice(position);
      break;
    }
    if (tag > position) current.text += text.slice(position, tag);
    const next = text[tag + 1];
    if (next === '?' || next === '!') {
      position = endOf(text, tag, '>');
      continue;
    }
    namePattern.lastIndex = next === '/' ? tag + 2 : tag + 1;
    const name = namePattern.exec(text)?.[0];
    if (name === undefined) {
      current.text += '<';
      position = tag + 1;
      continue;
    }
    const end = text.indexOf('>', namePattern.lastIndex);
    if (end < 0) {
      complete = false;
      break;
    }
    position = end + 1;
    if (next === '/') {
      close(stack, name);
      continue;
    }
    const attributes = text.slice(namePattern.lastIndex, end);
    const element: OpenElement = {
      name,
      id: /\bid\s*=\s*["']([^"']{0,100})["']/.exec(attributes.slice(0, 300))?.[1] ?? null,
      children: [],
      text: '',
    };
    const isSkipped = skipped.has(name);
    if (!isSkipped) current.children.push(element);
    if (attributes.endsWith('/')) continue;
    if (!isSkipped && !raw.has(name)) {
      if (stack.length <= maxDepth) stack.push(element);
      continue;
    }
    const closing = `</${name}>`;
    const last = lastClose.get(name) ?? text.lastIndexOf(closing);
    lastClose.set(name, last);
    if (last < position) {
      complete = false;
      break;
    }
    const closeAt = text.indexOf(closing, position);
    if (!isSkipped) element.text = text.slice(position, closeAt);
    position = closeAt + closing.length;
  }
  if (stack.length > 1) complete = false;
  finish(root);
  return { root, complete };
}

/** Closes the nearest open element of that name with all in it; a closing tag without one is dropped. */
function close(stack: OpenElement[], name: string): void {
  for (let place = stack.length - 1; place > 0; place--)
    if (stack[place]?.name === name) {
      stack.length = place;
      return;
    }
}

function endOf(text: string, from: number, mark: string): number {
  const end = text.indexOf(mark, from);
  return end < 0 ? text.length : end + 1;
}

function finish(root: OpenElement): void {
  const open = [root];
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    element.text = decode(element.text).trim();
    for (const inner of element.children) open.push(inner);
  }
}
