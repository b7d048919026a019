import { MiB } from '../../units';
import type { LogLine } from './lines';

/** A row of nvidia-smi's process table, as people paste it beside a failure, often without its head. */
export interface SmiRow {
  readonly line: number;
  readonly gpuIndex: number;
  readonly pid: number;
  readonly type: string;
  readonly name: string;
  readonly bytes: number;
}

const row =
  /^\s*(?:\|\s*)?(\d{1,2})\s+(?:(?:N\/A|\d{1,3})\s+(?:N\/A|\d{1,3})\s+)?(\d{2,8})\s+(C\+G|M\+C|C|G)\s+(\S.{0,80}?)\s+(\d{1,7})MiB(?:\s*\|)?\s*$/;

export function readSmiRows(lines: readonly LogLine[]): SmiRow[] {
  return lines.flatMap(({ text, number }) => {
    const match = text.length > 160 ? null : row.exec(text);
    if (match === null) return [];
    const [, gpuIndex, pid, type, name, mib] = match;
    return [
      {
        line: number,
        gpuIndex: Number(gpuIndex),
        pid: Number(pid),
        type: type ?? '',
        name: name ?? '',
        bytes: Number(mib) * MiB,
      },
    ];
  });
}
