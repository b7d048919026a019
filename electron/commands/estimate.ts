/** `headroom estimate`: what each card will hold in a training step. */
import { message, type Message } from '../../shared/i18n/message';
import { estimate as estimateMemory, type Estimate } from '../../shared/memory/estimate';
import { readRequest, withCardMemory } from '../../shared/memory/request';
import type { Arguments } from './arguments';
import { CommandError, type Command } from './command';
import { answerBatch } from './estimateBatch';
import { estimateJson } from './estimateJson';
import { estimateLines } from './estimateText';
import { namedModel } from './modelSource';
import { writeJson, writeLine } from './output';
import { flagNameOf, requestFlags, requestOf } from './requestFlags';

export const estimate: Command = {
  name: 'estimate',
  summary: message('estimate.summary'),
  positionals: [],
  flags: [
    { kind: 'value', name: 'model', placeholder: 'FILE|ID', help: message('estimate.flagModel') },
    ...requestFlags.map(({ flag }) => flag),
    { kind: 'value', name: 'batch', placeholder: 'FILE|-', help: message('estimate.flagBatch') },
  ],
  async run(args, io) {
    const batch = args.text('batch');
    if (batch !== null) {
      refuseOtherFlags(args);
      await answerBatch(batch, io);
      return 0;
    }
    const given = args.text('model');
    if (given === null) throw new CommandError(message('estimate.modelMissing'));
    const { architecture, name } = await namedModel(given, io);
    const reading = readRequest(requestOf(args), {
      label: (key) => `--${flagNameOf(key)}`,
      timeline: args.has('json'),
    });
    if (reading.kind === 'refused') throw new CommandError(reading.reason);
    const { request, warnings } = withCardMemory(reading);
    const answer = estimateMemory(architecture, request);
    if (answer.kind === 'refused') throw new CommandError(answer.reason);
    const result: Estimate = {
      ...answer.estimate,
      warnings: [...ignoredFlags(args), ...reading.warnings, ...warnings, ...answer.estimate.warnings],
    };
    if (args.has('json')) await writeJson(io, estimateJson(result));
    else for (const line of estimateLines(name, result, io.locale)) await writeLine(io, line);
    return result.cards.some(({ verdict }) => verdict === 'no') ? 1 : 0;
  },
};

const adapterFlags = [
  'lora-rank',
  'lora-alpha',
  'lora-targets',
  'lora-dropout',
  'adapter-dtype',
  'double-quant',
];

/** A rank without adapters was meant to do something. */
function ignoredFlags(args: Arguments): Message[] {
  if ((args.text('method') ?? 'full') !== 'full') return [];
  return adapterFlags
    .filter((flag) => args.has(flag))
    .map((flag) => message('estimate.adapterFlagAlone', { flag: `--${flag}` }));
}

function refuseOtherFlags(args: Arguments): void {
  const other = ['model', ...requestFlags.map(({ flag }) => flag.name)].find((name) => args.has(name));
  if (other !== undefined) throw new CommandError(message('estimate.batchWithFlag', { flag: `--${other}` }));
}
