/** `--query-gpu … --format=csv,noheader` without knowing what was asked: only cells with a shape of their own are read. */
import { emptyCard, normalizeBusId, type CardDraft } from './card';
import { splitCells } from './csv';
import { versionIn } from './log-card';
import { problem } from './problems';
import { emptyReading } from './reading';
import type { GpuReading } from './types';

const productName =
  /^(?:NVIDIA|GeForce|Tesla|Quadro|GRID|TITAN|Orin|Thor|Graphics Device|[A-Z]+\d+[A-Z]?-\d+[A-Z])\b/;

interface Row {
  readonly card: CardDraft;
  readonly driverVersion: string | null;
}

function readRow(line: string): Row | null {
  const cells = splitCells(line);
  if (cells.length < 2) return null;
  const uuid = cells.find((cell) => /^GPU-[0-9a-f-]{8,40}$/i.test(cell)) ?? null;
  const pciBusId = cells.map(normalizeBusId).find((id) => id !== null) ?? null;
  const name = cells.find((cell) => productName.test(cell)) ?? null;
  if (uuid === null && pciBusId === null && name === null) return null;
  const first = cells[0] ?? '';
  return {
    card: { ...emptyCard(), uuid, pciBusId, name, index: /^\d{1,3}$/.test(first) ? Number(first) : null },
    driverVersion: versionIn(cells.find((cell) => /^\d{3}\.\d{2,3}(?:\.\d{2})?$/.test(cell))),
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
    problems: [problem.headerMissing()],
  };
}
