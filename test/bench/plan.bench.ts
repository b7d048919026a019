import { H200 } from '../../shared/gpu/models';
import { readRequest } from '../../shared/memory/request';
import { catalogueEntry } from '../../shared/model/catalogue/catalogue';
import { readConfig } from '../../shared/families/readModel';
import { linksOfCard } from '../../shared/strategy/links';
import { planning } from '../../shared/strategy/plan';
import type { PlanQuestion } from '../../shared/strategy/types';
import { GiB } from '../../shared/units';
import type { Bench, BenchRow } from './bench';

export const name = 'Ranking all strategies';

const firstAimMs = 300;
const allAimMs = 3000;

/** A 70B model on eight cards of 80 GiB: time until the first draft and until all plans are judged, warm and cold. */
export const run: Bench = async (): Promise<readonly BenchRow[]> => {
  const cold = timesOf(question());
  const warm = timesOf(question());
  return [
    rowOf('first plan, 70B on 8 cards', warm.first, cold.first, firstAimMs),
    rowOf('all plans, 70B on 8 cards', warm.all, cold.all, allAimMs),
  ];
};

function rowOf(what: string, measured: number, cold: number, aim: number): BenchRow {
  return {
    what,
    measured: `${measured.toFixed(0)} ms`,
    baseline: `${cold.toFixed(0)} ms, the first time`,
    result: `${(measured / cold).toFixed(2)}x`,
    aim: `${aim} ms`,
    aimMet: measured <= aim,
  };
}

function timesOf(asked: PlanQuestion): { readonly first: number; readonly all: number } {
  const begin = performance.now();
  let first: number | null = null;
  for (const update of planning(asked)) if (update.kind === 'draft') first ??= performance.now() - begin;
  const all = performance.now() - begin;
  return { first: first ?? all, all };
}

function question(): PlanQuestion {
  const entry = catalogueEntry('llama-3.1-70b');
  const model = entry === null ? null : readConfig(entry.config);
  const reading = readRequest({ card: 'H100' }, { label: (key) => key, timeline: false });
  if (model?.kind !== 'model' || reading.kind !== 'request')
    throw new Error('The catalogue has no 70B model.');
  return {
    architecture: model.architecture,
    request: reading.request,
    wished: new Set(['card']),
    cards: Array.from({ length: 8 }, (_, index) => ({ index, totalBytes: 80 * GiB, freeBytes: 80 * GiB })),
    links: linksOfCard(reading.request.card ?? H200),
    globalBatch: null,
    hostBytes: 1024 * GiB,
  };
}
