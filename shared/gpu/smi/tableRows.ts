/** Rows of the lower parts of nvidia-smi's table: MIG devices and processes. */
import { emptyCard, emptyProcess, normalizeBusId, processName, processType, type CardDraft } from './card';
import { cellBytes, cellIndex, cellPid, missingReason } from './cell';
import type { GpuProcess, MigSlice } from '../types';

/** `|  0    2   0   0  |           16925MiB / 71424MiB    | 16      0 |  3   0    3    0    3 |` */
export function readMigRow(cells: readonly string[]): { gpuIndex: number; slice: MigSlice } | null {
  const ids = /^\s*(\d{1,3})\s+(\d{1,3}|N\/A)\s+(\d{1,3}|N\/A)\s+(\d{1,3})\s*$/.exec(cells[0] ?? '');
  if (ids === null) return null;
  const memory = /^\s*([^\s/]+(?:\/A)?)\s*\/\s*([^\s/]+(?:\/A)?)\s*$/.exec(cells[1] ?? '');
  return {
    gpuIndex: Number(ids[1]),
    slice: {
      index: Number(ids[4]),
      uuid: null,
      profile: null,
      gpuInstance: cellIndex(ids[2]),
      computeInstance: cellIndex(ids[3]),
      memoryTotalBytes: cellBytes(memory?.[2]),
      memoryUsedBytes: cellBytes(memory?.[1]),
    },
  };
}

/** `|   0  NVIDIA A40                 | 00000000:3B:00.0             |  12%       |` of `nvidia-smi vgpu`. */
export function readVgpuHost(cells: readonly string[]): CardDraft | null {
  const name = /^\s*(\d{1,3})\s+(\S+(?:\s+\S+)*)\s*$/.exec(cells[0] ?? '');
  const busId = normalizeBusId(cells[1]);
  const load = /^\s*(\d{1,3})\s?%\s*$/.exec(cells[2] ?? '');
  if (cells.length !== 3 || name === null || busId === null || load === null) return null;
  return {
    ...emptyCard(),
    index: Number(name[1]),
    name: name[2] ?? null,
    pciBusId: busId,
    utilizationPercent: Number(load[1]),
  };
}

/**
 * `|    0   N/A  N/A             677      C   /opt/torch/.venv/bin/python3           2926MiB |`; drivers before 450
 * have no instance ids. The name may hold blanks and bars, and is shortened with dots by nvidia-smi.
 */
const processRow =
  /^\|\s*(\d{1,3})\s+(?:(\d{1,3}|N\/A)\s+(\d{1,3}|N\/A)\s+)?(\d{1,10}|N\/A|\[?Insufficient Permissions\]?)\s+((?:[CGM]\+)?[CGM]|N\/A)\s+(?:(\S+(?:\s+\S+)*?)\s+)?(\d{1,9}\s?MiB|N\/A|Unknown Error|\[[^\]|]{1,40}\]|Not Supported)(?:\s*\|)?\s*$/;

/** A process of the table, `hidden` where the driver refuses to name it, null where the line is no process. */
export function readProcessRow(line: string): GpuProcess | 'hidden' | null {
  const match = processRow.exec(line);
  if (match === null) return null;
  const [, gpu, gpuInstance, computeInstance, pidCell = '', type, name, memory] = match;
  if (missingReason(pidCell) === 'no-permission') return 'hidden';
  const pid = cellPid(pidCell);
  if (pid === null) return null;
  return {
    ...emptyProcess(),
    gpuIndex: Number(gpu),
    pid,
    type: processType(type),
    name: processName(name),
    usedBytes: cellBytes(memory),
    gpuInstance: cellIndex(gpuInstance),
    computeInstance: cellIndex(computeInstance),
  };
}
