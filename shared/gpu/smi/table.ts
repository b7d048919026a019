/**
 * The table that `nvidia-smi` prints without arguments, in all layouts: narrow (up to 530) and wide, with and without
 * MIG columns, `Driver Version` or (610) `KMD Version`. Cells are found by the bars and by their shape, never by fixed
 * columns: a card of 1000 W moves them.
 */
import { emptyCard, normalizeBusId, normalizeComputeMode, type CardDraft } from './card';
import {
  cellAmount,
  cellBytes,
  cellFlag,
  cellNumber,
  cellText,
  cellUtilization,
  missingReason,
  cellVersion,
} from './cell';
import { readFailures } from './failures';
import { FaultCollector, faultProblems } from './faults';
import { cardName, cardProblem, machineProblem, uniqueProblems } from '../problems';
import { emptyReading } from './reading';
import { readMigRow, readProcessRow, readVgpuHost } from './tableRows';
import type { GpuProcess, GpuReading, Problem } from '../types';

const word = '(?:N/A|ERR!|\\[[^\\]|]{1,40}\\]|Unknown Error|GPU requires reset|Not Supported)';
const nameCell = /^\s*(\d{1,3})\s+(\S+(?:\s+\S+)*?)\s+(On|Off|WDDM|TCC|MCDM|N\/A|ERR!)\s*$/;
/** Jetson boards have no bus id. */
const busCell = /^\s*([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]|N\/A)(?:\s*(?:On|Off|N\/A|ERR!))?\s*$/i;
const stateCell = new RegExp(
  `^\\s*(\\d{1,3}\\s?%|${word})\\s+(-?\\d{1,3}\\s?C|${word})\\s+(P\\d{1,2}|${word})\\s+(\\d{1,6}(?:\\.\\d+)?\\s?W|${word})\\s*/\\s*(\\d{1,6}(?:\\.\\d+)?\\s?W|${word})\\s*$`,
);
const memoryCell = new RegExp(`^\\s*(\\d{1,9}\\s?MiB|${word})(?:\\s*/\\s*(\\d{1,9}\\s?MiB|${word}))?\\s*$`);
const loadCell = new RegExp(`^\\s*(\\d{1,3}\\s?%|${word})\\s+(\\S.*)$`);

/** A table line is at most this long (wide layouts have 91 columns, names may hold wide letters). */
const longestLine = 400;

function cellsOf(line: string): string[] {
  return line
    .replace(/^\s*\|/, '')
    .replace(/\|\s*$/, '')
    .split('|');
}

interface OpenCard {
  readonly card: CardDraft;
  readonly faults: FaultCollector;
  /** The second line of the card has been read. */
  whole: boolean;
}

/** `|   0  NVIDIA H200                    On  |   00000000:83:00.0 Off |                    0 |` */
function readFirstLine(cells: readonly string[]): OpenCard | null {
  const name = nameCell.exec(cells[0] ?? '');
  const bus = busCell.exec(cells[1] ?? '');
  if (name === null || bus === null || cells.length > 3) return null;
  const card: CardDraft = {
    ...emptyCard(),
    index: Number(name[1]),
    name: cellText(name[2]),
    persistenceMode: cellFlag(name[3]),
    pciBusId: normalizeBusId(bus[1]),
    eccUncorrectedErrors: cellAmount(cells[2]),
  };
  return { card, faults: new FaultCollector(), whole: false };
}

/** `| N/A   28C    P0             77W /  700W |       0MiB / 143771MiB |      0%      Default |` */
function readSecondLine(open: OpenCard, cells: readonly string[]): boolean {
  const state = stateCell.exec(cells[0] ?? '');
  if (state === null) return false;
  const { card, faults } = open;
  const [, fan = '', temperature = '', performance = '', draw = '', limit = ''] = state;
  const [, used = '', total = ''] = memoryCell.exec(cells[1] ?? '') ?? [];
  const [, load = '', mode = ''] = loadCell.exec(cells[2] ?? '') ?? [];
  if (faults.note('fan', fan)) card.fanPercent = cellAmount(fan);
  if (faults.note('temperature', temperature)) card.temperatureC = cellNumber(temperature);
  faults.note('performance state', performance);
  if (faults.note('power draw', draw)) card.powerWatts = cellAmount(draw);
  if (faults.note('power limit', limit)) card.powerLimitWatts = cellAmount(limit);
  if (faults.note('memory used', used)) card.memoryUsedBytes = cellBytes(used);
  if (faults.note('memory total', total)) card.memoryTotalBytes = cellBytes(total);
  if (faults.note('utilization', load)) card.utilizationPercent = cellUtilization(load);
  card.computeMode = normalizeComputeMode(cellText(mode.trim()));
  open.whole = true;
  return true;
}

function sharesSystemMemory(open: OpenCard, memory: string | undefined): boolean {
  const text = (memory ?? '').split('/')[0]?.trim() ?? '';
  return (
    open.card.memoryTotalBytes === 0 || (text !== '' && missingReason(memory?.trim() ?? '') === 'absent')
  );
}

class TableReader {
  driverVersion: string | null = null;
  cudaVersion: string | null = null;
  readonly processes: GpuProcess[] = [];
  /** Whether the table went on to its end, the list of processes. */
  hasProcessList = false;
  private readonly cards: OpenCard[] = [];
  private readonly byIndex = new Map<number, OpenCard>();
  private readonly unified = new Set<OpenCard>();
  private section: 'cards' | 'mig' | 'processes' = 'cards';
  private lastLine = '';
  private hiddenProcesses = false;
  /** `nvidia-smi vgpu`: cards and their virtual ones, no processes. */
  private isVgpu = false;

  line(raw: string): void {
    const line = raw.replace(/^[\s>]*(?=[|+])/, '').trimEnd();
    if (line.length > longestLine || !/^[|+]/.test(line)) return;
    this.lastLine = line;
    if (line.startsWith('+')) return;
    if (/NVIDIA-SMI\s+\S/.test(line)) return this.banner(line);
    if (/^\|\s*vGPU ID\b/.test(line)) this.isVgpu = true;
    else if (/^\|\s*MIG devices:/.test(line)) this.section = 'mig';
    else if (/^\|\s*Processes:/.test(line)) {
      this.section = 'processes';
      this.hasProcessList = true;
    } else if (this.section === 'processes') this.process(line);
    else if (this.section === 'mig') this.migDevice(cellsOf(line));
    else this.card(cellsOf(line));
  }

  reading(): GpuReading {
    return {
      ...emptyReading('table'),
      driverVersion: this.driverVersion,
      cudaVersion: this.cudaVersion,
      cards: this.cards.map(({ card }) => card),
      processes: this.processes,
      problems: uniqueProblems([
        ...this.cards.flatMap((open) => this.cardProblems(open)),
        ...(this.isCut() ? [machineProblem('input-cut')] : []),
      ]),
    };
  }

  /** A whole table ends with its process list and a closing border. */
  isCut(): boolean {
    if (this.isVgpu) return !/^\+[-+]{20,}\+$/.test(this.lastLine);
    return !this.hasProcessList || !/^\+-{20,}\+$/.test(this.lastLine);
  }

  private cardProblems(open: OpenCard): Problem[] {
    return [
      ...faultProblems(open.card, open.faults.faults(this.unified.has(open))),
      ...(this.hiddenProcesses && open === this.cards[0]
        ? [cardProblem('processes-hidden', cardName(open.card))]
        : []),
    ];
  }

  private banner(line: string): void {
    this.driverVersion = cellVersion(/(?:Driver|KMD) Version:\s*(\S+)/.exec(line)?.[1]);
    this.cudaVersion = cellVersion(/CUDA (?:UMD )?Version:\s*(\S+)/.exec(line)?.[1]);
  }

  private card(cells: readonly string[]): void {
    const first = readFirstLine(cells);
    if (first !== null) {
      this.cards.push(first);
      if (first.card.index !== null) this.byIndex.set(first.card.index, first);
      return;
    }
    const open = this.cards.at(-1);
    // The third line of a card: a card that is cut into MIG devices has memory of its own that it does not tell.
    if (open !== undefined && open.whole && /^\s*Enabled\*?\s*$/.test(cells[2] ?? ''))
      this.unified.delete(open);
    const virtual = readVgpuHost(cells);
    if (virtual !== null) {
      this.cards.push({ card: virtual, faults: new FaultCollector(), whole: true });
      return;
    }
    if (open === undefined || open.whole || !readSecondLine(open, cells)) return;
    if (sharesSystemMemory(open, cells[1])) {
      open.card.memoryTotalBytes = null;
      this.unified.add(open);
    }
  }

  private migDevice(cells: readonly string[]): void {
    const row = readMigRow(cells);
    if (row !== null) this.byIndex.get(row.gpuIndex)?.card.mig.push(row.slice);
  }

  private process(line: string): void {
    const process = readProcessRow(line);
    if (process === 'hidden') this.hiddenProcesses = true;
    else if (process !== null) this.processes.push(process);
  }
}

const bannerLine = /\|\s*NVIDIA-SMI\s+\S/;

/** A whole table; of a looped one (`nvidia-smi -l N`) the newest that is whole. */
export function readTable(text: string): GpuReading {
  let reader = new TableReader();
  let lastWhole: TableReader | null = null;
  for (const line of text.split('\n')) {
    if (bannerLine.test(line)) {
      if (!reader.isCut()) lastWhole = reader;
      reader = new TableReader();
    }
    reader.line(line);
  }
  const reading = (reader.isCut() && lastWhole !== null ? lastWhole : reader).reading();
  return { ...reading, problems: uniqueProblems([...reading.problems, ...readFailures(text)]) };
}
