/** `nvidia-smi -L` (cards and their MIG devices) and `nvidia-smi nvlink …`, which prints links below the same lines. */
import { emptyCard, normalizeBusId, type CardDraft } from './card';
import { cellIndex, cellText } from './cell';
import { readFailure } from './failures';
import { LineTroubles } from './lineTroubles';
import { cardName, cardProblem, uniqueProblems } from '../problems';
import { emptyReading } from './reading';
import type { CardLink, GpuReading, MigSlice, Problem } from '../types';

/** `GPU 0: NVIDIA H200 (UUID: GPU-…)`; very old drivers say `(S/N: …)` where there is no UUID. */
export const listedCardLine = /^GPU (\d{1,3}): (\S.{0,200}?)(?: \((?:UUID|S\/N): ([^)\s]{1,100})\)?)?\s*$/;
/** `MIG 1c.3g.71gb  Device  0: (UUID: MIG-…)`; up to 460 the UUID is `MIG-GPU-…/GI/CI`. */
const migLine = /^MIG (\S{1,40})\s+Device\s+(\d{1,3}):(?:\s*\(UUID: (MIG-[^)\s]{1,100})\)?)?\s*$/;
const linkLine = /^Link (\d{1,3})(?:\s*[:,]\s*(.{0,200}))?$/;
const remoteDevice = /^Remote Device ((?:[0-9a-f]{1,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])/i;

function migSlice(match: RegExpExecArray): MigSlice {
  const [, profile, index, uuid] = match;
  const instances = /\/(\d{1,3})\/(\d{1,3})$/.exec(uuid ?? '');
  return {
    index: Number(index),
    uuid: uuid ?? null,
    profile: profile ?? null,
    gpuInstance: cellIndex(instances?.[1]),
    computeInstance: cellIndex(instances?.[2]),
    memoryTotalBytes: null,
    memoryUsedBytes: null,
  };
}

/**
 * One NVLink: its speed or state (`nvlink -s`: `26.562 GB/s`, `<inactive>`), or the device at its other end
 * (`nvlink -R`). Capability and counter lines say only that the link is there.
 */
function cardLink(card: CardDraft, match: RegExpExecArray): CardLink {
  const text = (match[2] ?? '').trim();
  const state = /^(?:<(\w+)>|([\d.]+ [KMG]?B\/s))$/.exec(text);
  return {
    from: `GPU${card.index ?? 0}`,
    to: normalizeBusId(remoteDevice.exec(text)?.[1]),
    kind: state?.[1] ?? state?.[2] ?? 'NVLink',
    link: Number(match[1]),
  };
}

class ListReader {
  readonly cards: CardDraft[] = [];
  readonly links = new Map<string, CardLink>();
  readonly problems: Problem[] = [];
  readonly troubles = new LineTroubles();

  line(raw: string): void {
    this.troubles.next();
    const line = raw.trim();
    if (line === '') return;
    const listed = line.length > 400 ? null : listedCardLine.exec(line);
    const current = this.cards.at(-1);
    const failure = readFailure(line);
    if (failure !== null) this.problems.push(failure);
    else if (listed !== null)
      this.cards.push({
        ...emptyCard(),
        index: Number(listed[1]),
        name: cellText(listed[2]),
        uuid: cellText(listed[3]),
      });
    else if (current === undefined || !this.detail(current, line)) this.troubles.add();
  }

  private detail(card: CardDraft, line: string): boolean {
    const mig = migLine.exec(line);
    if (mig !== null) {
      card.mig.push(migSlice(mig));
      return true;
    }
    const link = linkLine.exec(line);
    if (link !== null) {
      const read = cardLink(card, link);
      const key = `${read.from}/${read.link}`;
      if (!this.links.has(key)) this.links.set(key, read);
      return true;
    }
    if (/nvlink queries are not supported for devices in mig mode/i.test(line)) {
      this.problems.push(cardProblem('nvlink-not-in-mig', cardName(card)));
      return true;
    }
    return /does not have or support nvlink|nvlink is not supported|unable to retrieve nvlink information|all links are inactive/i.test(
      line,
    );
  }
}

/** `nvidia-smi -L`. A line that is cut in the middle of its UUID still gives the card. */
export function readList(text: string): GpuReading {
  return read('list', text);
}

/** `nvidia-smi nvlink -s`, `-c`, `-R`, `-gt d`: the cards and one entry a link. */
export function readNvlink(text: string): GpuReading {
  return read('nvlink', text);
}

function read(format: 'list' | 'nvlink', text: string): GpuReading {
  const reader = new ListReader();
  for (const line of text.split('\n')) reader.line(line);
  return {
    ...emptyReading(format),
    cards: reader.cards,
    links: [...reader.links.values()],
    problems: uniqueProblems([...reader.problems, ...reader.troubles.problems()]),
  };
}
