/**
 * JSON as Python writes and reads it. `json.dump` prints bare `Infinity` and `NaN`, editors leave byte-order marks and
 * trailing commas, and some published files have text after the object; JSON.parse refuses them all.
 */

export type TolerantJson =
  | { readonly kind: 'value'; readonly value: unknown; readonly trailingText: boolean }
  /** `position` counts characters from 0. */
  | { readonly kind: 'broken'; readonly position: number };

const maxDepth = 200;

/** Reads one JSON value; what stands after it is only reported. */
export function parseTolerantJson(text: string): TolerantJson {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return { kind: 'value', value: JSON.parse(body), trailingText: false };
  } catch {
    // Not strict JSON, or cut: the lenient reader decides, and knows where it broke.
    return new LenientReader(body).read();
  }
}

class Broken extends Error {}

class LenientReader {
  private position = 0;

  constructor(private readonly text: string) {}

  read(): TolerantJson {
    try {
      const value = this.value(0);
      this.skipSpace();
      return { kind: 'value', value, trailingText: this.position < this.text.length };
    } catch (error) {
      if (error instanceof Broken) return { kind: 'broken', position: this.position };
      throw error;
    }
  }

  private value(depth: number): unknown {
    if (depth > maxDepth) throw new Broken();
    this.skipSpace();
    switch (this.text[this.position]) {
      case '{':
        return this.object(depth);
      case '[':
        return this.array(depth);
      case '"':
        return this.string();
      default:
        return this.word();
    }
  }

  private object(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.members('}', () => {
      const name = this.string();
      this.skipSpace();
      this.expect(':');
      entries.push([name, this.value(depth + 1)]);
    });
    return Object.fromEntries(entries);
  }

  private array(depth: number): unknown[] {
    const items: unknown[] = [];
    this.members(']', () => items.push(this.value(depth + 1)));
    return items;
  }

  /** The parts between an opening bracket and `close`; a comma before `close` is let through. */
  private members(close: '}' | ']', part: () => void): void {
    this.position++;
    for (;;) {
      this.skipSpace();
      if (this.text[this.position] === close) break;
      part();
      this.skipSpace();
      if (this.text[this.position] === close) break;
      this.expect(',');
    }
    this.position++;
  }

  private string(): string {
    const start = this.position;
    if (this.text[start] !== '"') throw new Broken();
    let end = start + 1;
    while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === '\\' ? 2 : 1;
    try {
      const value: unknown = JSON.parse(this.text.slice(start, end + 1));
      if (typeof value !== 'string') throw new Broken();
      this.position = end + 1;
      return value;
    } catch {
      // A bad escape, a raw line break or an unclosed string: `position` still points at its start.
      throw new Broken();
    }
  }

  private word(): unknown {
    const pattern = /(?:true|false|null|NaN|-?Infinity|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;
    pattern.lastIndex = this.position;
    const word = pattern.exec(this.text)?.[0];
    if (word === undefined) throw new Broken();
    this.position += word.length;
    switch (word) {
      case 'true':
        return true;
      case 'false':
        return false;
      case 'null':
        return null;
      default:
        return Number(word);
    }
  }

  private expect(character: string): void {
    if (this.text[this.position] !== character) throw new Broken();
    this.position++;
  }

  private skipSpace(): void {
    while (/\s/.test(this.text[this.position] ?? '')) this.position++;
  }
}
