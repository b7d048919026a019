/** `headroom plan`: the ways to train on these cards, the best first, and the files of one. */
import { message } from '../../shared/i18n/message';
import { translate } from '../../shared/i18n/translate';
import { printable } from '../../shared/printable';
import { requestKeys, readRequest } from '../../shared/memory/request';
import { asks, ask } from '../../shared/strategy/ask';
import { plan as planStrategies } from '../../shared/strategy/plan';
import type { Plan, PlanQuestion } from '../../shared/strategy/types';
import { GiB } from '../../shared/units';
import type { Arguments } from './arguments';
import { CommandError, type Command, type CommandIo, type ExitCode } from './command';
import { cardJson } from './estimateJson';
import { detectCards, givenCards, type PlanMachine } from './planCards';
import { noFilesBecause, refuseFile, writeLaunchFolder } from './planFiles';
import { askLines, planningLines } from './planText';
import { namedModel, type NamedModel } from './modelSource';
import { writeJson, writeLine } from './output';
import { flagNameOf, requestOf, wishFlags } from './requestFlags';

const countRange = { min: 1, max: 1_000_000 };

/** `detect`: reads the cards of this machine; tests give their own. */
export function planCommand(detect: typeof detectCards): Command {
  return {
    name: 'plan',
    summary: message('planCommand.summary'),
    positionals: [],
    flags: [
      { kind: 'value', name: 'model', placeholder: 'FILE|ID', help: message('estimate.flagModel') },
      { kind: 'value', name: 'gpus', placeholder: 'CARDS', help: message('planCommand.flagGpus') },
      { kind: 'value', name: 'global-batch', placeholder: 'N', help: message('planCommand.flagGlobalBatch') },
      { kind: 'value', name: 'host-gib', placeholder: 'N', help: message('planCommand.flagHostGib') },
      { kind: 'value', name: 'ask', placeholder: 'WHAT', help: message('planCommand.flagAsk') },
      { kind: 'value', name: 'write', placeholder: 'DIR', help: message('planCommand.flagWrite') },
      { kind: 'value', name: 'plan', placeholder: 'N', help: message('planCommand.flagPlan') },
      { kind: 'switch', name: 'force', help: message('planCommand.flagForce') },
      ...wishFlags.map(({ flag }) => flag),
    ],
    note: message('planCommand.note'),
    run: (args, io) => run(args, io, detect),
  };
}

export const plan = planCommand(detectCards);

async function run(args: Arguments, io: CommandIo, detect: typeof detectCards): Promise<ExitCode> {
  const wanted = args.choice('ask', asks);
  refuseOddPairs(args);
  const given = args.text('model');
  if (given === null) throw new CommandError(message('estimate.modelMissing'));
  const model = await namedModel(given, io);
  const question = await questionOf(args, model, io, detect);
  if (wanted !== null) {
    const answer = ask(question, wanted);
    if (args.has('json'))
      await writeJson(io, { ...answer, plan: answer.plan === null ? null : shownPlan(answer.plan, model) });
    else for (const line of askLines(answer, model, io.locale)) await writeLine(io, line);
    return answer.plan === null ? 1 : 0;
  }
  const folder = args.text('write');
  if (folder !== null) await refuseFile(folder);
  const planning = planStrategies(question);
  if (folder !== null) {
    const chosen = planToWrite(
      planning.plans,
      args.integer('plan', countRange),
      (it) => noFilesBecause(it, model) === null,
    );
    if (chosen.rank > 1 && !args.has('plan'))
      await io.stderr.write(
        `${translate(io.locale, message('planCommand.wroteOther', { number: chosen.rank }))}\n`,
      );
    const files = await writeLaunchFolder(folder, chosen, model, {
      locale: io.locale,
      force: args.has('force'),
    });
    if (args.has('json')) await writeJson(io, { files });
    else
      for (const file of files) await writeLine(io, message('planCommand.wrote', { file: printable(file) }));
    return 0;
  }
  if (args.has('json'))
    await writeJson(io, { ...planning, plans: planning.plans.map((it) => shownPlan(it, model)) });
  else for (const line of planningLines(model, planning, io.locale)) await writeLine(io, line);
  return planning.plans.length === 0 ? 1 : 0;
}

/** The plan of that number, or the best one that has files. Throws CommandError where there is none. */
export function planToWrite(
  plans: readonly Plan[],
  number: number | null,
  hasFiles: (plan: Plan) => boolean,
): Plan {
  if (plans.length === 0) throw new CommandError(message('planCommand.nothingToWrite'));
  const wanted = number === null ? plans.find(hasFiles) : plans[number - 1];
  const chosen = wanted ?? (number === null ? plans[0] : undefined);
  if (chosen === undefined)
    throw new CommandError(message('planCommand.noSuchPlan', { number: number ?? 1, count: plans.length }));
  return chosen;
}

function refuseOddPairs(args: Arguments): void {
  if (args.has('write') && args.has('ask')) throw new CommandError(message('planCommand.askWithWrite'));
  for (const flag of ['plan', 'force'])
    if (args.has(flag) && !args.has('write'))
      throw new CommandError(message('planCommand.forceAlone', { flag: `--${flag}` }));
  if (args.has('gpus') && args.has('card-mib'))
    throw new CommandError(message('planCommand.cardMibWithGpus'));
}

/** The wishes and the cards as a question. `auto` is no wish. */
async function questionOf(
  args: Arguments,
  { architecture }: NamedModel,
  io: CommandIo,
  detect: typeof detectCards,
): Promise<PlanQuestion> {
  const wishes = Object.fromEntries(
    Object.entries(requestOf(args)).filter(([key, value]) => value !== 'auto' && key !== 'cardMib'),
  );
  const machine = await machineOf(args, io, detect);
  const card = 'card' in wishes || machine.cardName === null ? {} : { card: machine.cardName };
  const reading = readRequest(
    { ...wishes, ...card },
    { label: (key) => `--${flagNameOf(key)}`, timeline: false },
  );
  if (reading.kind === 'refused') throw new CommandError(reading.reason);
  const host = args.number('host-gib', { min: 0, max: 1_000_000 });
  return {
    architecture,
    request: reading.request,
    wished: new Set(requestKeys.filter((key) => key in wishes)),
    cards: machine.cards,
    links: machine.linksFor(reading.request.card),
    globalBatch: args.integer('global-batch', countRange),
    hostBytes: host === null ? machine.hostBytes : host * GiB,
  };
}

async function machineOf(args: Arguments, io: CommandIo, detect: typeof detectCards): Promise<PlanMachine> {
  const gpus = args.text('gpus');
  const sizes = requestOf(args)['cardMib'];
  if (gpus === null && Array.isArray(sizes))
    return givenCards(args.text('card-mib') ?? '', args.integer('world', countRange));
  if (gpus === null || gpus === 'detected') return detect(io.signal);
  return givenCards(gpus, null);
}

/**
 * A plan as the command prints it: without the course of the step and without what the engine was asked, with the reason why no files
 * can be written for it (`noFiles`, null where they can).
 */
function shownPlan(plan: Plan, model: NamedModel): unknown {
  const { checkpointing, request, cards, ...rest } = plan;
  const { kind } = checkpointing;
  return {
    ...rest,
    checkpointing: kind === 'segments' ? `segments:${checkpointing.count}` : kind,
    loraRank: request.training.method.kind === 'full' ? null : request.training.method.adapters.rank,
    noFiles: noFilesBecause(plan, model),
    cards: cards.map((card) =>
      Object.fromEntries(Object.entries(cardJson(card)).filter(([key]) => key !== 'timeline')),
    ),
  };
}
