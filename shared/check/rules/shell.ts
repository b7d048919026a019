import { message } from '../../i18n/message';
import type { Hit, RuleText } from '../types';

/** A rule on the commands of a shell script, one at a time, comments and continuation lines taken care of. */
export interface ShellRule extends RuleText {
  readonly hits: (command: string) => boolean;
}

/** Commands of a script with their positions: comments blanked, lines that end in a backslash joined. */
function commandsOf(source: string): readonly { readonly text: string; readonly at: number }[] {
  const found: { text: string; at: number }[] = [];
  let parts: string[] = [];
  let begins = 0;
  let position = 0;
  const close = (): void => {
    const text = parts.join(' ');
    if (text.trim() !== '') found.push({ text, at: begins });
    parts = [];
  };
  for (const line of source.split('\n')) {
    const code = /^\s*#/.test(line) ? '' : line.replace(/\s#(?![{!]).*$/, '');
    if (parts.length === 0) begins = position + Math.max(0, line.search(/\S/));
    const part = parts.length === 0 ? code : code.trim();
    const goesOn = part.endsWith('\\');
    parts.push(goesOn ? part.slice(0, -1) : part);
    if (!goesOn) close();
    position += line.length + 1;
  }
  close();
  return found;
}

/** Whether these occur one behind the other, anything between them. Each is looked for once, from where the last ended. */
function inOrder(text: string, ...wanted: readonly RegExp[]): boolean {
  let from = 0;
  return wanted.every((pattern) => {
    const search = new RegExp(pattern, 'g');
    search.lastIndex = from;
    const found = search.exec(text);
    from = search.lastIndex;
    return found !== null;
  });
}

/** `kill $(…)` of processes that are looked for by what they are called. A port or a parent names the process itself. */
const killWords =
  /\bkill\b|[|;&]|\$\(|[`)]|\b(?:ps|pgrep(?!\s{1,8}-P)|pidof|fuser(?!\s{1,8}\S{0,80}\/(?:tcp|udp))|lsof(?![^)`]{0,200}-\w{0,20}i)|nvidia-smi)\b/g;

function killsWhatItLooksFor(command: string): boolean {
  let killing = false;
  let looking = false;
  for (const [word] of command.matchAll(killWords)) {
    if (word === 'kill') killing = true;
    else if (word === '|' || word === ';' || word === '&') killing = false;
    else if (word === '$(') looking ||= killing;
    else if (word === '`') looking = killing;
    else if (word === ')') looking = false;
    else if (looking) return true;
  }
  return false;
}

export function shellHits(rule: ShellRule, source: string): readonly Hit[] {
  return commandsOf(source)
    .filter(({ text }) => rule.hits(text))
    .map(({ at }) => ({ at }));
}

export const shellRules: readonly ShellRule[] = [
  {
    rule: 'kill-by-name',
    severity: 'error',
    message: message('check.killByName'),
    why: message('check.killByNameWhy'),
    better: 'headroom stale && headroom free JOB',
    hits: (command) =>
      killsWhatItLooksFor(command) ||
      inOrder(command, /\b(?:ps|pgrep|nvidia-smi|lsof)\b/, /\|/, /\bxargs\b/, /\bkill\b/) ||
      inOrder(
        command,
        /\b(?:pkill|killall)\b/,
        /\b(?:python[\d.]{0,8}|torchrun|train\S{0,80}|accelerate|deepspeed)(?!\w)/,
      ) ||
      inOrder(
        command,
        /\bfuser\s{1,8}(?:-\S{1,80}\s{1,8}){0,8}-[a-jl-zA-Z\d]{0,8}k\w{0,8}\s/,
        /\/dev\/nvidia/,
      ),
  },
  {
    rule: 'deprecated-launcher',
    severity: 'warning',
    message: message('check.oldLauncher'),
    why: message('check.oldLauncherWhy'),
    better: 'torchrun --standalone --nproc-per-node=gpu train.py',
    hits: (command) =>
      /\bpython[\d.]{0,8}\s{1,8}(?:-\S{1,80}\s{1,8}){0,8}-m\s{1,8}torch\.distributed\.launch\b/.test(command),
  },
  {
    rule: 'container-without-shm',
    severity: 'warning',
    message: message('check.dockerShm'),
    why: message('check.dockerShmWhy'),
    better: 'docker run --gpus all --shm-size=16g …   # or --ipc=host',
    hits: (command) =>
      /\b(?:docker|podman)\s{1,8}(?:container\s{1,8})?run\b/.test(command) &&
      /--gpus\b|--runtime[= ]nvidia|nvidia\.com\/gpu/.test(command) &&
      !/--shm-size\b|--ipc[= ]host|\/dev\/shm/.test(command),
  },
];
