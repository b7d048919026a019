/** Estimates at speed: a model of 80 layers with its timeline, the quick peak for ranking, lines of a batch without and with a card. */
import { answerBatch } from '../../electron/commands/estimateBatch';
import type { CommandIo } from '../../electron/commands/command';
import type { Architecture } from '../../shared/model/architecture';
import { catalogueEntry } from '../../shared/model/catalogue/catalogue';
import { readConfig } from '../../shared/families/readModel';
import { H200 } from '../../shared/gpu/models';
import type { EstimateRequest } from '../../shared/memory/configuration';
import { estimate } from '../../shared/memory/estimate';
import { forwardOf } from '../../shared/memory/chooseForward';
import { quickPeakBytes } from '../../shared/memory/quick';
import { readRequest } from '../../shared/memory/request';
import { aloneSpread } from '../../shared/memory/training/distribution';
import { type Bench, type BenchRow, median } from './bench';

export const name = 'Estimates';

const repeats = 9;
const batchLines = 1000;
const aims = { estimateMs: 300, quickMs: 20, batchSeconds: 60 };

/** Processor time, since other work on the machine says nothing about this. The first runs, before the code is warm, count too. */
export const run: Bench = async (): Promise<readonly BenchRow[]> => {
  const large = modelOf('llama-3.1-70b');
  const request = requestOf({ method: 'lora', precision: 'bf16', checkpointing: 'full', seq: 2048 });
  const whole = median(timesOf(() => void estimate(large, request)));
  const quick = median(timesOf(() => void quickOf(large, request)));
  const seconds = await batchSeconds({});
  const searching = await batchSeconds({ cardMib: [24_564] });
  return [
    row('80 layers with timeline', `${whole.toFixed(0)} ms`, aims.estimateMs, 'ms', whole),
    row('80 layers, quick peak', `${quick.toFixed(1)} ms`, aims.quickMs, 'ms', quick),
    row(`${batchLines} batch lines of 1B models`, `${seconds.toFixed(1)} s`, aims.batchSeconds, 's', seconds),
    row(
      `${batchLines} batch lines with a card's size`,
      `${searching.toFixed(1)} s`,
      aims.batchSeconds,
      's',
      searching,
    ),
  ];
};

function row(what: string, measured: string, aim: number, unit: string, value: number): BenchRow {
  return {
    what,
    measured,
    baseline: 'processor time',
    result: measured,
    aim: `${aim} ${unit}`,
    aimMet: value <= aim,
  };
}

function modelOf(id: string): Architecture {
  const reading = readConfig(catalogueEntry(id)?.config ?? {});
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return reading.architecture;
}

function requestOf(fields: object): EstimateRequest {
  const reading = readRequest(fields, { label: (key) => key, timeline: true });
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return reading.request;
}

function quickOf(architecture: Architecture, { training }: EstimateRequest): number {
  const forward = forwardOf(architecture.family);
  if (forward === null) throw new Error('The family is not played.');
  return quickPeakBytes(architecture, forward, training, H200, aloneSpread);
}

function timesOf(work: () => void): number[] {
  return Array.from({ length: repeats }, () => processorMs(work));
}

function processorMs(work: () => void): number {
  const begin = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

/** Lines that differ in micro-batch, sequence, precision, method and checkpointing; `further` is in all of them. */
function requestLines(further: object): string {
  const lines = Array.from({ length: batchLines }, (_, index) =>
    JSON.stringify({
      model: index % 2 === 0 ? 'tinyllama-1.1b' : 'llama-3.2-1b',
      microBatch: 1 + (index % 8),
      seq: 512 * (1 + (index % 3)),
      precision: ['bf16', 'amp-bf16', 'fp32'][index % 3],
      checkpointing: index % 5 === 0 ? 'full' : 'none',
      method: index % 7 === 0 ? 'lora' : 'full',
      ...further,
    }),
  );
  return `${lines.join('\n')}\n`;
}

async function batchSeconds(further: object): Promise<number> {
  let answers = 0;
  const sink = {
    isTerminal: false,
    write: async (text: string) => {
      if (text.startsWith('{"error"')) throw new Error(text);
      answers++;
    },
  };
  const io: CommandIo = {
    locale: 'en',
    stdout: sink,
    stderr: sink,
    environment: {},
    signal: new AbortController().signal,
    readText: async () => '',
    async *readChunks() {
      yield requestLines(further);
    },
    async *readBytes() {
      yield new TextEncoder().encode(requestLines(further));
    },
    async *readUtf8() {
      yield new Uint8Array();
    },
    ask: async () => null,
  };
  const begin = process.cpuUsage();
  await answerBatch('-', io);
  const { user, system } = process.cpuUsage(begin);
  if (answers !== batchLines) throw new Error(`${answers} answers to ${batchLines} lines.`);
  return (user + system) / 1e6;
}
