/** `headroom estimate`: what each card will hold in a training step. */
import { message } from '../../shared/i18n/message';
import { estimate as estimateMemory, type Estimate } from '../../shared/memory/estimate';
import { readRequest, type RequestKey } from '../../shared/memory/request';
import type { Arguments } from './arguments';
import { CommandError, type Command, type Flag } from './command';
import { answerBatch } from './estimateBatch';
import { estimateLines } from './estimateText';
import { namedModel } from './modelSource';
import { writeJson, writeLine } from './output';

/** How a flag's text becomes the value that a request has under its key. */
type Shape = 'text' | 'number' | 'numbers' | 'names' | 'switch';

interface RequestFlag {
  readonly key: RequestKey;
  readonly shape: Shape;
  readonly flag: Flag;
}

function requestFlag(key: RequestKey, shape: Shape, placeholder: string, help: Flag['help']): RequestFlag {
  const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const flag: Flag =
    shape === 'switch' ? { kind: 'switch', name, help } : { kind: 'value', name, placeholder, help };
  return { key, shape, flag };
}

const requestFlags: readonly RequestFlag[] = [
  requestFlag('method', 'text', 'full|lora|qlora', message('estimate.flagMethod')),
  requestFlag('loraRank', 'number', 'N', message('estimate.flagLoraRank')),
  requestFlag('loraTargets', 'names', 'all-linear|NAME,…', message('estimate.flagLoraTargets')),
  requestFlag('loraDropout', 'number', 'X', message('estimate.flagLoraDropout')),
  requestFlag('adapterDtype', 'text', 'fp32|model', message('estimate.flagAdapterDtype')),
  requestFlag('doubleQuant', 'switch', '', message('estimate.flagDoubleQuant')),
  requestFlag('precision', 'text', 'P', message('estimate.flagPrecision')),
  requestFlag('optimizer', 'text', 'NAME', message('estimate.flagOptimizer')),
  requestFlag('microBatch', 'number', 'N', message('estimate.flagMicroBatch')),
  requestFlag('seq', 'number', 'N', message('estimate.flagSeq')),
  requestFlag('accumulation', 'number', 'N', message('estimate.flagAccumulation')),
  requestFlag('checkpointing', 'text', 'KIND', message('estimate.flagCheckpointing')),
  requestFlag('attention', 'text', 'KERNEL', message('estimate.flagAttention')),
  requestFlag('card', 'text', 'NAME', message('estimate.flagCard')),
  requestFlag('gradClip', 'switch', '', message('estimate.flagGradClip')),
  requestFlag('strategy', 'text', 'NAME', message('estimate.flagStrategy')),
  requestFlag('world', 'number', 'N', message('estimate.flagWorld')),
  requestFlag('offload', 'text', 'WHAT', message('estimate.flagOffload')),
  requestFlag('expandableSegments', 'switch', '', message('estimate.flagExpandableSegments')),
  requestFlag('cardMib', 'numbers', 'N,…', message('estimate.flagCardMib')),
  requestFlag('contextMib', 'number', 'N', message('estimate.flagContextMib')),
];

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
    const answer = estimateMemory(architecture, reading.request);
    if (answer.kind === 'refused') throw new CommandError(answer.reason);
    const result: Estimate = {
      ...answer.estimate,
      warnings: [...reading.warnings, ...answer.estimate.warnings],
    };
    if (args.has('json')) await writeJson(io, result);
    else for (const line of estimateLines(name, result, io.locale)) await writeLine(io, line);
    return result.cards.some(({ verdict }) => verdict === 'no') ? 1 : 0;
  },
};

const flagNameOf = (key: RequestKey): string =>
  requestFlags.find((candidate) => candidate.key === key)?.flag.name ?? key;

/** The flags as a request: texts that should be numbers and are not stay texts, for the reader to refuse. */
function requestOf(args: Arguments): Readonly<Record<string, unknown>> {
  const entries = requestFlags.flatMap(({ key, shape, flag }): [string, unknown][] => {
    if (shape === 'switch') return args.has(flag.name) ? [[key, true]] : [];
    const text = args.text(flag.name);
    return text === null ? [] : [[key, valueOf(text, shape)]];
  });
  return Object.fromEntries(entries);
}

function valueOf(text: string, shape: Shape): unknown {
  switch (shape) {
    case 'number':
      return numberOrText(text);
    case 'numbers':
      return text.split(',').map(numberOrText);
    case 'names':
      return text === 'all-linear' ? text : text.split(',').map((name) => name.trim());
    case 'text':
    case 'switch':
      return text;
  }
}

function numberOrText(text: string): number | string {
  return /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : text;
}

function refuseOtherFlags(args: Arguments): void {
  const other = ['model', ...requestFlags.map(({ flag }) => flag.name)].find((name) => args.has(name));
  if (other !== undefined) throw new CommandError(message('estimate.batchWithFlag', { flag: `--${other}` }));
}
