/** Python text, built line by line with the right indentation; blocks are functions, so nothing is patched in later. */
export class PythonText {
  private readonly lines: string[] = [];
  private depth = 0;

  line(...texts: readonly string[]): this {
    for (const text of texts) this.lines.push(text === '' ? '' : `${'    '.repeat(this.depth)}${text}`);
    return this;
  }

  blank(count = 1): this {
    for (let i = 0; i < count; i += 1) this.lines.push('');
    return this;
  }

  /** `header:` and its body, one level deeper. */
  block(header: string, body: (text: this) => void): this {
    this.line(`${header}:`);
    this.depth += 1;
    body(this);
    this.depth -= 1;
    return this;
  }

  /** A function or class at the top level, with the two blank lines before it that Python's style asks for. */
  define(header: string, body: (text: this) => void): this {
    return this.blank(2).block(header, body);
  }

  toString(): string {
    return `${this.lines.join('\n')}\n`;
  }
}

/** A value of JSON as Python writes it. */
export function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return JSON.stringify(value).replace(/[\u007f-\uffff]/g, escaped);
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${pythonLiteral(key)}: ${pythonLiteral(item)}`)
    .join(', ')}}`;
}

/** JSON's \uXXXX escapes are Python's too. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
