import { message } from '../../i18n/message';
import type { Hit, RuleText } from '../types';

/** A rule on the commands of a shell script, one at a time, comments and continuation lines taken care of. */
export interface ShellRule extends RuleText {
  readonly hits: (command: string) => boolean;
}

/** Commands of a script with their positions: comments blanked, lines that end in a backslash joined. */
function commandsOf(source: string): readonly { readonly text: string; readonly at: number }[] {
  const found: { text: string; at: number }[] = [];
  let open: { text: string; at: number } | null = null;
  let position = 0;
  for (const line of source.split('\n')) {
    const code = /^\s*#/.test(line) ? '' : line.replace(/\s#(?![{!]).*$/, '');
    const at = position + Math.max(0, line.search(/\S/));
    open = open === null ? { text: code, at } : { text: `${open.text} ${code.trim()}`, at: open.at };
    if (open.text.endsWith('\\')) open.text = open.text.slice(0, -1);
    else {
      if (open.text.trim() !== '') found.push(open);
      open = null;
    }
    position += line.length + 1;
  }
  if (open !== null && open.text.trim() !== '') found.push(open);
  return found;
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
      // A port or a parent names the process itself.
      /\bkill\b[^|;&]*(\$\(|`)[^)`]*\b(ps|pgrep(?!\s+-P)|pidof|fuser(?!\s+\S*\/(tcp|udp))|lsof(?![^)`]*-\w*i)|nvidia-smi)\b/.test(
        command,
      ) ||
      /\b(ps|pgrep|nvidia-smi|lsof)\b.*\|.*\bxargs\b.*\bkill\b/.test(command) ||
      /\b(pkill|killall)\b.*\b(python[\d.]*|torchrun|train\S*|accelerate|deepspeed)\b/.test(command) ||
      /\bfuser\b\s+(-\S+\s+)*-\w*k\w*\s.*\/dev\/nvidia/.test(command),
  },
  {
    rule: 'deprecated-launcher',
    severity: 'warning',
    message: message('check.oldLauncher'),
    why: message('check.oldLauncherWhy'),
    better: 'torchrun --standalone --nproc-per-node=gpu train.py',
    hits: (command) => /\bpython[\d.]*\s+(-\S+\s+)*-m\s+torch\.distributed\.launch\b/.test(command),
  },
  {
    rule: 'container-without-shm',
    severity: 'warning',
    message: message('check.dockerShm'),
    why: message('check.dockerShmWhy'),
    better: 'docker run --gpus all --shm-size=16g …   # or --ipc=host',
    hits: (command) =>
      /\b(docker|podman)\s+(container\s+)?run\b/.test(command) &&
      /--gpus\b|--runtime[= ]nvidia|nvidia\.com\/gpu/.test(command) &&
      !/--shm-size\b|--ipc[= ]host|\/dev\/shm/.test(command),
  },
];
