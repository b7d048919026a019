/** `--query-gpu … --format=csv,noheader` without knowing what was asked: only cells with a shape of their own are read. */
import { cellVersion } from './cell';
import { emptyCard, normalizeBusId, type CardDraft } from './card';
import { splitCells } from './csv';
import { machineProblem } from '../problems';
import { emptyReading } from './reading';
import type { GpuReading } from '../types';

const productName =
  /^(?:NVIDIA|GeForce|Tesla|Quadro|GRID|TITAN|Orin|Thor|Graphics Device)(?:[ (][\w().+/ -]*)?$/;
/** What data cells look like: a number with or without unit, a mask, a version, a state, or no value. */
const dataCell =
  /^(?:[+-]?\d+(?:\.\d+)*(?: ?(?:MiB|%|W|MHz|C|us|ms|KB\/s))?|0x[0-9a-f]+|P\d{1,2}|Enabled|Disabled|Default|Active|Not Active|Yes|No|\[?N\/A\]?|\[[^\]]{3,60}\]|\d{4}\/\d\d\/\d\d [\d:.]+)$/i;

interface Row {
  readonly card: CardDraft;
  readonly driverVersion: string | null;
}

function readRow(line: string): Row | null {
  const cells = splitCells(line);
  const uuid = cells.find((cell) => /^GPU-[0-9a-f-]{8,40}$/i.test(cell)) ?? null;
  const pciBusId = cells.map(normalizeBusId).find((id) => id !== null) ?? null;
  const name = cells.find((cell) => cell.length <= 64 && productName.test(cell)) ?? null;
  const named = [uuid, pciBusId, name].filter((value) => value !== null).length;
  const data = cells.filter((cell) => dataCell.test(cell)).length;
  if (named === 0 || named + data < 2 || (named + data) * 2 < cells.length) return null;
  const first = cells[0] ?? '';
  return {
    card: { ...emptyCard(), uuid, pciBusId, name, index: /^\d{1,3}$/.test(first) ? Number(first) : null },
    driverVersion: cellVersion(cells.find((cell) => /^\d{3}\.\d{2,3}(?:\.\d{2})?$/.test(cell))),
  };
}

/** The cards of such lines, or null where no line holds a card's UUID, bus id or product name. */
export function readHeaderlessGpu(text: string): GpuReading | null {
  const rows = text
    .split('\n')
    .filter((line) => line.length <= 20_000 && line.includes(','))
    .flatMap((line) => readRow(line.trim()) ?? []);
  if (rows.length === 0) return null;
  const numbered = rows.every(({ card }, place) => card.index === place);
  return {
    ...emptyReading('csv-gpu'),
    driverVersion: rows.find((row) => row.driverVersion !== null)?.driverVersion ?? null,
    cards: rows.map(({ card }, place) => ({ ...card, index: numbered ? card.index : place })),
    problems: [machineProblem('header-missing')],
  };
}
