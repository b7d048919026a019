/**
 * A saved output as its program printed it: without what a log, a mail, a notebook, a web page or a terminal put around
 * its lines. Nothing is known here of what the lines say.
 */

/** The same wrapper on nearly every line; group 0 is what goes. In the order in which they are tried, again and again. */
const wrappers: readonly RegExp[] = [
  /^\s{0,3}(?:> ?){1,6}/, // a mail, Markdown
  /^[ \t]{0,8}(?:#{1,3}|\/\/|--|;{1,2}|%)(?: |$)/, // a comment
  /^[ \t]{0,8}\*(?: |$)/, // inside a block comment
  /^[a-z][\w.-]{0,60} {1,40}\| ?/i, // docker compose
  /^\[(?:pod\/)?[\w./:-]{1,160}\] ?/, // kubectl --prefix
  /^\d{1,5}: /, // srun --label
  /^[a-z][\w.-]{0,60}: /i, // pdsh, pssh
  /^\[\d{1,5}(?:,\d{1,5})?\](?:<std(?:out|err)>)?:? /, // mpirun --tag-output
  /^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.+Z-]{8,30}) [\w.-]{1,60} [a-z_][\w./@-]{0,60}(?:\[\d{1,9}\])?: ?/i, // journald
  /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]? - (?:[\w.-]{1,60} - )?(?:DEBUG|INFO|WARNING|ERROR) - /, // Python's logging
  /^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z| ?[+-]\d\d:?\d\d)?\]?(?![\d.,]):? ?(?:std(?:out|err) [FP] )?/, // a container's log
  /^\[\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]:? ?/,
  /^[-:|] (?=[|+<\w[-])/,
  /^\[?(?:DEBUG|INFO|NOTICE|WARNING|WARN|ERROR)\]?(?:[ :-]{1,4}[\w.]{1,60}(?::\d{1,6})?)?(?: ?[-:|])? ?/, // logging
];

/** How much of the text must carry a wrapper before it is taken for one. */
const wrappedShare = 0.7;
const mostLayers = 5;

/** The text without its wrappers, or the text itself where it has none. One pass a layer, five layers at most. */
export function unwrap(text: string): string {
  let lines = withoutMarkup(withoutQuotes(withoutTerminal(text).split('\n')));
  for (let layer = 0; layer < mostLayers; layer += 1) {
    const next = withoutWrapper(lines);
    if (next === null) break;
    lines = withoutQuotes(next);
  }
  return lines.join('\n');
}

/** Colours, cursor moves, and what a carriage return wrote over. */
function withoutTerminal(text: string): string {
  return (
    text
      .replace(/^\ufeff/, '')
      // eslint-disable-next-line no-control-regex -- terminal sequences begin with the escape character
      .replace(/(?:\u001b|\\u001b|\\x1b|\\033)\[[\d;?]{0,20}[A-Za-z]/g, '')
      .replace(/\r\n?/g, '\n')
      .replaceAll('\u00a0', ' ')
  );
}

/** Lines that are strings of JSON or of a program: a notebook's output, a list in a configuration. */
function withoutQuotes(lines: readonly string[]): readonly string[] {
  const quoted = /^\s*(?:"[\w-]{1,40}": ?)?"((?:[^"\\]|\\.)*)"[,;]?\s*$/;
  const inside = lines.flatMap((line) => {
    const content = quoted.exec(line)?.[1];
    return content === undefined ? [] : unescapeJson(content).replace(/\n$/, '').split('\n');
  });
  const written = lines.filter((line) => line.trim().length > 2).length;
  const found = lines.filter((line) => quoted.test(line)).length;
  return found > 0 && found >= written * 0.5 ? inside : lines;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '', '"': '"', '\\': '\\', '/': '/' };

function unescapeJson(content: string): string {
  return content.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (all, code?: string, letter?: string) =>
    code === undefined ? (escapes[letter ?? ''] ?? all) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const markup = /<(?:br|pre|code|td|tr|p|div|span)\b[^<>]{0,200}>|&(?:lt|gt|amp|nbsp|quot|#\d{1,5});/i;
const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', nbsp: ' ', quot: '"' };

/** A web page's line ends and entities; the tags of nvidia-smi's own XML stay. */
function withoutMarkup(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => markup.test(line))) return lines;
  return lines.flatMap((line) =>
    line
      .replace(/<br\s{0,4}\/?>/gi, '\n')
      .replace(/<\/(?:p|div|tr|li)>/gi, '\n')
      .replace(/<\/?(?:pre|code|td|tr|p|div|span|samp|font|b|i|tbody|table|li|ul)\b[^<>]{0,200}>/gi, '')
      .replace(/&(?:(lt|gt|amp|nbsp|quot)|#(\d{1,5}));/gi, (all, name?: string, code?: string) =>
        name === undefined ? String.fromCharCode(Number(code)) : (entities[name.toLowerCase()] ?? all),
      )
      .split('\n'),
  );
}

/** The lines without the wrapper that most of them carry; null where they carry none. Lines without it are left out. */
function withoutWrapper(lines: readonly string[]): readonly string[] | null {
  const written = lines.filter((line) => line.trim() !== '');
  for (const wrapper of wrappers) {
    const wrapped = written.filter((line) => wrapper.test(line));
    if (wrapped.length < 1 || wrapped.length < written.length * wrappedShare) continue;
    return lines.flatMap((line) => {
      if (line.trim() === '') return [line];
      return wrapper.test(line) ? [line.replace(wrapper, '')] : [];
    });
  }
  return null;
}
