/**
 * `nvidia-smi mig -lgi`, `-lci`, `-lgip`, `-lcip`: tables of GPU and compute instances that exist, or of the profiles
 * that could be made. Only what exists becomes a MIG device of its card.
 */
import { emptyCard, type CardDraft } from './card';
import { readFailures } from './failures';
import { machineProblem, uniqueProblems } from '../problems';
import { emptyReading } from './reading';
import type { GpuReading, MigSlice } from '../types';

/** The heading of one of the tables, or the sentence that stands in its place where there is nothing. */
const migHeading =
  /^[ \t]*\|\s*(GPU instances|Compute instances|GPU instance profiles|Compute instance profiles)\s*:/im;
const nothingFound =
  /^[ \t]*no (?:gpu instances|compute instances|mig-enabled devices|mig-supported devices)[^\n]{0,60}found/im;

/** `|   0  MIG 1g.10gb          19        9          2:1     |` */
const gpuInstanceRow = /^\s*\|\s*(\d{1,3})\s+MIG\s+(\S+)\s+(\d{1,4})\s+(\d{1,4})\s+\S+\s*\|/;
/** `|   0      1       MIG 3g.20gb          2         0          0:3     |` */
const computeInstanceRow = /^\s*\|\s*(\d{1,3})\s+(\d{1,4})\s+MIG\s+(\S+)\s+(\d{1,4})\s+(\d{1,4})\s+\S+\s*\|/;
const profileRow = /^\s*\|\s*(\d{1,3})\s+(?:\d{1,4}\s+)?MIG\s+\S+/;

function slice(profile: string | undefined, gpuInstance: number, computeInstance: number | null): MigSlice {
  return {
    index: null,
    uuid: null,
    profile: profile ?? null,
    gpuInstance,
    computeInstance,
    memoryTotalBytes: null,
    memoryUsedBytes: null,
  };
}

/** Where both tables were saved, a GPU instance is told by its compute instances. */
function withoutParents(slices: readonly MigSlice[]): MigSlice[] {
  const split = new Set(
    slices.flatMap(({ gpuInstance, computeInstance }) => (computeInstance === null ? [] : [gpuInstance])),
  );
  return slices.filter(
    ({ gpuInstance, computeInstance }) => computeInstance !== null || !split.has(gpuInstance),
  );
}

/** Whether a text is one of these tables, or says that there is nothing to list. */
export function isMigOutput(text: string): boolean {
  return migHeading.test(text) || nothingFound.test(text);
}

export function readMig(text: string): GpuReading {
  const cards = new Map<number, CardDraft>();
  const card = (index: number) => {
    const known = cards.get(index) ?? { ...emptyCard(), index };
    cards.set(index, known);
    return known;
  };
  let closed = true;
  for (const line of text.split('\n')) {
    if (line.length > 400) continue;
    if (/^\s*\|/.test(line)) closed = false;
    else if (/^\s*\+[-=]{20,}\+\s*$/.test(line)) closed = true;
    const compute = computeInstanceRow.exec(line);
    const instance = gpuInstanceRow.exec(line);
    if (compute !== null) {
      card(Number(compute[1])).mig.push(slice(compute[3], Number(compute[2]), Number(compute[5])));
    } else if (instance !== null) {
      card(Number(instance[1])).mig.push(slice(instance[2], Number(instance[4]), null));
    } else {
      const profile = profileRow.exec(line);
      if (profile !== null) card(Number(profile[1]));
    }
  }
  return {
    ...emptyReading('mig'),
    cards: [...cards.values()].map((owner) => ({ ...owner, mig: withoutParents(owner.mig) })),
    problems: uniqueProblems([...readFailures(text), ...(closed ? [] : [machineProblem('input-cut')])]),
  };
}
