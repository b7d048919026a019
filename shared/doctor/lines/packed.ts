/**
 * Lines that were packed as data by what shipped or stored them, and the text that was printed: records of a JSON log,
 * `key=value` logs, strings of a notebook file, HTML. Anything else stays as it is.
 */
export function unpackLine(line: string): string {
  const record = /^\s*[{"]/.test(line) ? fromJson(line) : null;
  if (record !== null) return record;
  const message = logfmt.exec(line);
  if (message !== null) return parsedString(message[1] ?? '') ?? line;
  return markup.test(line) ? fromMarkup(line) : line;
}

/** Keys under which loggers keep what was printed, in the order in which it was. */
const messageKeys = [
  'msg',
  'message',
  'log',
  'text',
  'line',
  'event',
  'body',
  'textPayload',
  'MESSAGE',
] as const;
const errorKeys = [
  'exception',
  'exc_info',
  'exc_text',
  'stack',
  'stack_trace',
  'stacktrace',
  'traceback',
  'evalue',
] as const;
const otherErrorKeys = ['error', 'err', 'reason', 'detail'] as const;
const rankKeys = ['rank', 'global_rank', 'RANK'] as const;
const longestRecord = 256 * 1024;

function fromJson(line: string): string | null {
  const text = line.trim().replace(/,$/, '');
  if (text.length > longestRecord) return null;
  // A line of a notebook (whose `evalue` says again what the traceback ends with) or of another file of data, cut in its middle.
  if (text.startsWith('"'))
    return parsedString(/^"(?:message|msg|log|text)": (".*")$/.exec(text)?.[1] ?? text);
  if (!text.endsWith('}')) return null;
  const record = parsed(text);
  if (!isRecord(record)) return null;
  const cells = record['cells'];
  if (Array.isArray(cells)) return cells.flatMap(outputsOf).join('\n');
  return fromRecord(record);
}

/** A log's record; null where no key says that something was printed. */
function fromRecord(record: Readonly<Record<string, unknown>>): string | null {
  const own = strings(record, messageKeys);
  const errors = strings(record, errorKeys);
  const said = own.length + errors.length > 0 ? [...own, ...errors] : strings(record, otherErrorKeys);
  if (said.length === 0) return null;
  const rank = rankKeys.map((key) => record[key]).find((value) => Number.isInteger(value));
  const prefix = rank === undefined ? '' : `[rank${String(rank)}]: `;
  return said
    .flatMap((text) => text.replace(/\n$/, '').split('\n'))
    .map((text) => `${prefix}${text}`)
    .join('\n');
}

function outputsOf(cell: unknown): string[] {
  const outputs = isRecord(cell) ? cell['outputs'] : null;
  if (!Array.isArray(outputs)) return [];
  return outputs.filter(isRecord).flatMap((output) => strings(output, ['text', 'traceback']));
}

/** The texts under these keys; a list of texts is one text. */
function strings(record: Readonly<Record<string, unknown>>, keys: readonly string[]): string[] {
  return keys.flatMap((key) => {
    const value = record[key];
    if (typeof value === 'string') return value === '' ? [] : [value];
    if (!Array.isArray(value)) return [];
    const lines = value.filter((line) => typeof line === 'string');
    return lines.length === 0 ? [] : [lines.join(lines.some((line) => line.endsWith('\n')) ? '' : '\n')];
  });
}

function parsedString(text: string): string | null {
  const value = parsed(text);
  return typeof value === 'string' ? value.replace(/\n$/, '') : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null; // Not data after all: the line is read as it stands.
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const logfmt =
  /^(?:[\w.]{1,40}=(?:"[^"]{0,200}"|[^\s"]{0,200}) ){1,12}(?:msg|message|error|err)=("(?:[^"\\]|\\.)*")/;

const markup =
  /&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,5}|#x[\da-f]{1,4});|<\/?(?:span|pre|div|br|code|p|b|i|td|tr|samp|font|summary|details)\b/i;
const tags = /<\/?(?:span|pre|div|code|p|b|i|td|tr|samp|font|summary|details)\b[^<>]{0,400}>/gi;
const named: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

function fromMarkup(line: string): string {
  return line
    .replace(/<br\s*\/?>/gi, '\n')
    .replace(tags, '')
    .replace(
      /&(?:(lt|gt|amp|quot|apos|nbsp)|#(\d{1,5})|#x([\da-f]{1,4}));/gi,
      (found, name, decimal, hex) => {
        if (typeof name === 'string') return named[name.toLowerCase()] ?? found;
        const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
        return code < 32 ? ' ' : String.fromCodePoint(code);
      },
    );
}
