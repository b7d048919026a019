import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Card } from '../../shared/gpu/types';
import type { Snapshot } from '../../shared/alerts/snapshot';
import { CardPast } from '../../shared/snapshot/history/cardPast';
import { appRowReader, usualAppFields } from '../../shared/gpu/smi/queryApps';
import { gpuRowReader } from '../../shared/gpu/smi/queryGpu';
import type { GpuProcess } from '../../shared/gpu/types';
import type { Job, JobMember } from '../../shared/jobs/types';
import { plainCard, plainJob, snapshotOf } from '../unit/shared/contract/typedSnapshot';
import { facts } from '../unit/shared/jobs/facts';
import type { Bench, BenchRow } from './bench';

export const name = 'A day at one reading a second, at speed';

const cardCount = 16;
const processesPerCard = 4;
const daySeconds = 86_400;
const aimMiB = 8;
const mib = 1024 * 1024;

const fields = [
  'index',
  'uuid',
  'name',
  'memory.total',
  'memory.used',
  'memory.free',
  'utilization.gpu',
  'temperature.gpu',
  'power.draw',
];
const readCard = gpuRowReader(fields);
const readApp = appRowReader(usualAppFields);

/** Sixteen lines of cards, as nvidia-smi prints them in that second; memory and load change all the time. */
function cardLines(second: number): string[] {
  return Array.from({ length: cardCount }, (_, index) => {
    const used = 20_000 + ((second * 7 + index * 131) % 3000);
    return `${index}, GPU-${index}, NVIDIA H100 80GB HBM3, 81559, ${used}, ${81_559 - 551 - used}, ${second % 101}, 54, 312.${second % 90}`;
  });
}

function appLines(second: number): string[] {
  return Array.from({ length: cardCount * processesPerCard }, (_, place) => {
    // A process lives for ten minutes, then another takes its place.
    const pid = 1000 + place + Math.floor(second / 600) * 100;
    return `GPU-${place % cardCount}, ${pid}, python train.py --lr=1,2, ${4000 + (second % 500)}`;
  });
}

function jobOf({ name, pid, usedBytes }: GpuProcess, gpuIndex: number): Job {
  const process = facts({ pid: pid ?? 0 });
  const member: JobMember = {
    process,
    role: 'process',
    rank: null,
    origin: 'started',
    listed: true,
    cards: [{ gpuIndex, usedBytes }],
  };
  return plainJob(String(pid), [member], { title: name ?? '', memoryBytes: usedBytes });
}

function snapshotAt(second: number): Snapshot {
  const time = 1_800_000_000 + second;
  const cards = cardLines(second).flatMap((line): Card[] => {
    const card = readCard(line)?.card;
    return card === undefined || card.index === null
      ? []
      : [plainCard(card.index, { ...card, index: card.index })];
  });
  const processes = appLines(second).flatMap((line) => readApp(line)?.process ?? []);
  const jobs = processes.map((process) => jobOf(process, Number(process.gpuUuid?.slice(4) ?? 0)));
  return snapshotOf({ time, cardsReadAt: time, cards, processes, jobs });
}

/** What is reachable, in bytes: garbage is collected first, so that the answer does not depend on when V8 does it. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Parses and keeps a day of 16 cards with 64 processes, and charts it every hour; what is held must not grow. */
export const run: Bench = async (): Promise<readonly BenchRow[]> => {
  const past = new CardPast();
  const begin = performance.now();
  let afterHours = 0;
  for (let second = 0; second < daySeconds; second++) {
    past.add(snapshotAt(second));
    if (second % 3600 === 3599) past.read({ span: 'day', pixelWidth: 1200 }, 1_800_000_000 + second);
    if (second === 7 * 3600) afterHours = heldBytes();
  }
  const grown = (heldBytes() - afterHours) / mib;
  const seconds = (performance.now() - begin) / 1000;
  return [
    {
      what: `${cardCount} cards, ${cardCount * processesPerCard} processes`,
      measured: `${(past.size.arrayBytes / mib).toFixed(1)} MiB of history`,
      baseline: `what was held after 7 hours`,
      result: `${grown < 0 ? '' : '+'}${grown.toFixed(1)} MiB after 24 hours`,
      aim: `+${aimMiB} MiB`,
      aimMet: grown <= aimMiB,
    },
    {
      what: 'a second of it: parse and keep',
      measured: `${((seconds / daySeconds) * 1000).toFixed(2)} ms`,
      baseline: '1000 ms',
      result: `${((seconds / daySeconds) * 100).toFixed(2)} % of a core`,
      aim: '1 %',
      aimMet: seconds / daySeconds < 0.01,
    },
  ];
};
