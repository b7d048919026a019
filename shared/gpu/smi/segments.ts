/** One paste may hold several outputs: they are told apart by the lines that each begins with. */
import { headerFields } from './csv';
import { isGpuField } from './gpuFields';
import { monitorHeader } from './monitor';
import { appsHeader } from './queryApps';

export interface Segment {
  readonly text: string;
}

type Kind = 'xml' | 'log' | 'table' | 'mig' | 'list' | 'gpu' | 'apps' | 'monitor';

const beginnings: readonly (readonly [Kind, (line: string) => boolean])[] = [
  ['xml', (line) => /^<\?xml|^<!DOCTYPE nvidia_smi_log|^<nvidia_smi_log/.test(line)],
  ['log', (line) => /^=+\s?NVSMI LOG\s?=/.test(line)],
  ['table', (line) => /^\|\s{0,8}NVIDIA-SMI \d/.test(line)],
  ['mig', (line) => /^\|\s{0,8}(?:GPU|Compute) instances\s?:/i.test(line)],
  ['list', (line) => /^GPU \d{1,3}: \S.{0,120}\((?:UUID|S\/N): /.test(line)],
  ['monitor', (line) => monitorHeader(line) !== null],
  ['apps', (line) => appsHeader(line) !== null],
  ['gpu', (line) => headerFields(line, isGpuField) !== null],
];

/** The words of a call of nvidia-smi behind a prompt; null where a line is none. */
export function smiCommand(line: string): string | null {
  if (line.length > 2000) return null;
  return (
    /^(?:.{0,120}?[$#>%❯»]\s?|\+ ?)?(?:sudo |time |watch (?:-\S{1,8} ?\S{0,4} )?)?(?:[\w./\\:-]{0,80}[/\\])?(nvidia-smi(?:\.exe)?(?:\s+[\w=,.:-]+)*)\s*$/.exec(
      line.trim(),
    )?.[1] ?? null
  );
}

/** The header that a call with `noheader` left out, made of the fields it asked for; null where it asked for none. */
function headerOf(command: string): string | null {
  const fields = /--query-(?:gpu|compute-apps|accounted-apps)=([\w.,]+)/.exec(command)?.[1];
  return fields !== undefined && /noheader/.test(command) ? fields.split(',').join(', ') : null;
}

const isFence = (line: string): boolean => /^\s{0,3}(?:```|~~~)[\w-]{0,20}\s*$/.test(line);
const isPrompt = (line: string): boolean => /^\s*(?:[\w.-]+@[\w.-]+[:~ ][^$#]{0,80}[$#]|[$#])\s*$/.test(line);

/** The outputs in a text, in their order; prompts, calls and fences of Markdown are none of them. */
export function segmentsOf(text: string): readonly Segment[] {
  const segments: { kind: Kind | null; lines: string[] }[] = [];
  let open: { kind: Kind | null; lines: string[] } = { kind: null, lines: [] };
  const begin = (kind: Kind | null): void => {
    if (open.lines.some((line) => line.trim() !== '')) segments.push(open);
    open = { kind, lines: [] };
  };
  for (const line of text.split('\n')) {
    if (isFence(line) || isPrompt(line)) continue;
    const command = smiCommand(line);
    if (command !== null) {
      begin(null);
      const header = headerOf(command);
      if (header !== null) open.lines.push(header);
      continue;
    }
    const content = line.length > 20_000 ? '' : line.trim();
    const kind = beginnings.find(([, begins]) => begins(content))?.[0] ?? null;
    // Of a loop each round begins with the same head: its reader knows which is the newest.
    if (kind !== null && kind !== open.kind) {
      if (open.kind !== null) begin(kind);
      else open.kind = kind;
    }
    open.lines.push(line);
  }
  begin(null);
  return segments.map(({ lines }) => ({ text: lines.join('\n') }));
}
