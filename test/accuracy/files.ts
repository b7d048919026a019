/** The files that are compared, by their names in `measured/` of the data and in our own part of it. */
import path from 'node:path';

/** A part of the measured rows and traces, so that accuracy is tested on any machine. */
export const ownRows = path.resolve(import.meta.dirname, '../fixtures/accuracy');

export const rowFiles: readonly string[] = ['mem', 'mem-exp', 'kernels', 'fsdp'];
export const largestFiles: readonly string[] = ['maxb', 'maxb-exp'];
export const traceFiles: readonly string[] = ['traces-full'];

/** Further searches for the largest micro-batch, measured for this project as `maxb` was. */
export const ownSearches: readonly string[] = [path.join(ownRows, 'searches')];

/** Measured on two cards for this project: the whole set, which no other folder has. */
export const twoCardRows: readonly string[] = [path.join(ownRows, 'two-cards')];
export const twoCardTraces: readonly string[] = [path.join(ownRows, 'two-card-traces')];

/** FSDP2 and DDP with several micro-batches a step on one card, measured as `SOURCES.md` beside them says. */
export const accumulationRows: readonly string[] = [path.join(ownRows, 'accumulation')];
