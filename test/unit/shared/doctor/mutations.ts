/** What terminals, loggers, launchers, shippers and people do to a message on its way to the doctor, as functions. */
const escape = '\u001b';

function lines(text: string, change: (line: string, index: number) => string): string {
  return text.split('\n').map(change).join('\n');
}

function before(prefix: string): (text: string) => string {
  return (text) => lines(text, (line) => `${prefix}${line}`);
}

function time(index: number): string {
  return `2024-05-11 02:24:${String(index % 60).padStart(2, '0')}`;
}

function escapeMarkup(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function wrapAt(width: number, line: string): string {
  const rows: string[] = [];
  for (let from = 0; from < line.length; from += width) rows.push(line.slice(from, from + width));
  return rows.join('\n');
}

/** Changes that leave what was printed whole, so that the answer must stay the same. */
export const mutations: Readonly<Record<string, (text: string) => string>> = {
  // Terminals.
  'Windows line ends': (text) => text.replaceAll('\n', '\r\n'),
  'line ends of an old Mac': (text) => text.replaceAll('\n', '\r'),
  'one colour for all': (text) => `${escape}[1;91m${text}${escape}[0m`,
  'a colour a line': (text) => lines(text, (line) => `${escape}[31m${line}${escape}[0m`),
  '24-bit colours': (text) => lines(text, (line) => `${escape}[38;2;255;0;0m${line}${escape}[0m${escape}[K`),
  'coloured words': (text) => text.replace(/(Error|memory|killed|failed)/g, `${escape}[1;31m$1${escape}[0m`),
  'colours without escape': (text) => lines(text, (line) => `[31m${line}[0m`),
  'colours as caret letters': (text) => lines(text, (line) => `^[[31m${line}^[[0m`),
  'a pane of tmux': (text) => lines(text, (line) => `${line.padEnd(200)}│`),
  'a copied screen': (text) => lines(text, (line) => line.padEnd(120)),
  'blanks at line ends': (text) => lines(text, (line) => `${line}   `),
  'a tab before each line': before('\t'),
  indentation: before('    '),
  'no-break spaces': (text) => text.replaceAll(' ', '\u00a0'),
  'a byte-order mark': (text) => `\ufeff${text}`,
  'a prompt around it': (text) => `(base) user@gpu01:~/x$ python train.py\n${text}`,
  'a console of 80 columns': (text) =>
    `${lines(text, (line) => wrapAt(80, line))}\n${wrapAt(80, 'x'.repeat(240))}`,
  // Quoting.
  'quoted mail': before('> '),
  'quoted tightly': before('>'),
  'quoted twice': before('> > '),
  'a list': before('- '),
  'a code block': (text) => `My training fails:\n\`\`\`\n${text}\n\`\`\``,
  'a folded code block': (text) =>
    `<details><summary>Log</summary>\n\n\`\`\`pytb\n${text}\n\`\`\`\n</details>`,
  'a page of HTML': (text) => `<div class="output"><pre>${escapeMarkup(text)}</pre></div>`,
  'HTML of a notebook': (text) =>
    `<pre>${lines(text, (line) => `<span class="ansi-red-fg">${escapeMarkup(line)}</span>`)}</pre>`,
  // Loggers.
  'logging with level': (text) => lines(text, (line, index) => `${time(index)},980 - ERROR - ${line}`),
  'logging with name': (text) => lines(text, (line, index) => `${time(index)},980 - train - INFO - ${line}`),
  basicConfig: before('ERROR:root:'),
  'time alone': (text) => lines(text, (line, index) => `${time(index).slice(11)} ${line}`),
  'time and level in brackets': (text) =>
    lines(text, (line, index) => `[${time(index)},980] [ERROR] [trainer.py:112] ${line}`),
  loguru: (text) =>
    lines(text, (line, index) => `${time(index)}.980 | ERROR    | __main__:main:42 - ${line}`),
  'loguru in colours': (text) =>
    lines(
      text,
      (line, index) =>
        `${escape}[32m${time(index)}.980${escape}[0m | ${escape}[1mERROR   ${escape}[0m | ${escape}[36mtrain${escape}[0m:${escape}[36mmain${escape}[0m - ${escape}[31m${line}${escape}[0m`,
    ),
  absl: before('E0511 02:24:26.980123 140234 train.py:42] '),
  accelerate: before('05/11/2024 02:24:26 - ERROR - accelerate.utils - '),
  transformers: before('[INFO|trainer.py:1721] 2024-05-11 02:24:26,980 >> '),
  DeepSpeed: before('[2024-05-11 02:24:26,980] [INFO] [launch.py:315:sigkill_handler] '),
  mmengine: before('05/11 02:24:26 - mmengine - ERROR - /x/y.py - f - 10 - '),
  detectron2: before('[05/11 02:24:26 d2.engine.train_loop]: '),
  hydra: before('[2024-05-11 02:24:26,980][__main__][ERROR] - '),
  celery: before('[2024-05-11 02:24:26,980: ERROR/ForkPoolWorker-3] '),
  airflow: before('[2024-05-11, 02:24:26 UTC] {subprocess.py:93} INFO - '),
  'a level in brackets': before('[ERROR] '),
  // Launchers.
  torchrun: before('[rank3]: '),
  'torchrun --tee': before('[default3]:'),
  Lightning: before('[rank: 3] '),
  mpirun: before('[1,3]<stderr>:'),
  Ray: before('(RayTrainWorker pid=4009, ip=192.0.2.4) '),
  'Ray in colours': before(`${escape}[36m(RayTrainWorker pid=4009)${escape}[0m `),
  vLLM: before('(EngineCore_0 pid=265) ERROR 05-11 02:24:26 [core.py:700] '),
  'vLLM workers': before('ERROR 05-11 02:24:26 multiproc_worker_utils.py:120] '),
  'a rank and a logger': before('[rank3]: 2024-05-11 02:24:26,980 ERROR '),
  // Shippers.
  docker: before('2024-05-11T02:24:26.123456789Z '),
  'docker compose': before('trainer-1  | '),
  'compose and a logger': before('trainer  | 2024-05-11 02:24:26,980 - ERROR - '),
  'kubectl --prefix': before('[pod/trainer-worker-0/pytorch] 2024-05-11T02:24:26.123456789Z '),
  'a container’s log file': before('2024-05-11T02:24:26.123456789Z stderr F '),
  journald: before('May 11 02:24:26 gpu01 python3[4009]: '),
  'syslog with zone': before('2024-05-11T02:24:26.123456+02:00 gpu01 train.sh[4009]: '),
  supervisord: before('2024-05-11 02:24:26,980 INFO stdout: '),
  'GitHub Actions': before('2024-05-11T02:24:26.1234567Z '),
  'the log files of docker': (text) =>
    lines(text, (line) =>
      JSON.stringify({ log: `${line}\n`, stream: 'stderr', time: '2024-05-11T02:24:26.1Z' }),
    ),
  'records as JSON': (text) =>
    lines(text, (line) => JSON.stringify({ ts: 1715394266, level: 'error', msg: line })),
  'one record as JSON': (text) => JSON.stringify({ level: 'ERROR', message: text }),
  'an exception as JSON': (text) => JSON.stringify({ event: 'training failed', exception: text }),
  logfmt: (text) =>
    lines(text, (line) => `time="2024-05-11T02:24:26Z" level=error msg=${JSON.stringify(line)}`),
};
