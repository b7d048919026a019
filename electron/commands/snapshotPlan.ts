/** The plan that a snapshot is laid beside: a plan's folder, or a model with the flags of `estimate`. */
import { dirname, join } from 'node:path';
import { savedPlanSchema } from '../../shared/contract/receiptSchemas';
import { message } from '../../shared/i18n/message';
import type { SavedPlan } from '../../shared/launch/savedPlan';
import { estimate } from '../../shared/memory/estimate';
import { readRequest } from '../../shared/memory/request';
import { readModel } from '../../shared/families/readModel';
import type { Architecture } from '../../shared/model/architecture';
import { plannedCardOf, type PlannedCard } from '../../shared/memorySnapshot/besidePlan';
import { requestOfSettings } from '../../shared/memorySnapshot/plannedFile';
import { MiB } from '../../shared/units';
import type { Arguments } from './arguments';
import { CommandError, type CommandIo } from './command';
import { namedModel } from './modelSource';
import { flagNameOf, requestFlags, requestOf } from './requestFlags';

const maxPlanBytes = MiB;
const maxConfigBytes = 32 * MiB;
/** A plan that plays to another peak than it was written with is not the one that was planned. */
const mostApart = 0.005;

/** What was planned for each card, in the order of ranks; null: no plan was named. */
export async function plannedCards(args: Arguments, io: CommandIo): Promise<readonly PlannedCard[] | null> {
  const [plan, model] = [args.text('plan'), args.text('model')];
  if (plan !== null && model !== null) throw new CommandError(message('memorySnapshot.planAndModel'));
  if (plan !== null) return ofFolder(plan, io);
  if (model !== null) return ofModel((await namedModel(model, io)).architecture, requestOf(args));
  const alone = requestFlags.find(({ flag }) => args.has(flag.name));
  if (alone !== undefined)
    throw new CommandError(message('memorySnapshot.flagNeedsModel', { flag: `--${alone.flag.name}` }));
  return null;
}

function ofModel(
  architecture: Architecture,
  fields: Readonly<Record<string, unknown>>,
): readonly PlannedCard[] {
  const reading = readRequest(fields, { label: (key) => `--${flagNameOf(key)}`, timeline: true });
  if (reading.kind === 'refused') throw new CommandError(reading.reason);
  const answer = estimate(architecture, reading.request, false);
  if (answer.kind === 'refused') throw new CommandError(answer.reason);
  return answer.estimate.cards.map(plannedCardOf);
}

async function ofFolder(file: string, io: CommandIo): Promise<readonly PlannedCard[]> {
  const plan = savedPlan(await io.readText(file, maxPlanBytes));
  if (plan === null) throw new CommandError(message('memorySnapshot.planUnreadable', { file }));
  return (await playedAgain(plan, join(dirname(file), 'config.json'), io)) ?? byPeaks(plan);
}

/** Null: not the file of a plan. */
function savedPlan(text: string): SavedPlan | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const reading = savedPlanSchema.safeParse(value);
  return reading.success ? reading.data : null;
}

const byPeaks = ({ ranks }: SavedPlan): readonly PlannedCard[] =>
  ranks.map(({ allocatedPeakBytes }) => ({ allocatedPeakBytes, phases: null }));

/** The plan's step from the config beside it; null where there is none, or it plays to other peaks than the plan has. */
async function playedAgain(
  plan: SavedPlan,
  config: string,
  io: CommandIo,
): Promise<readonly PlannedCard[] | null> {
  let text: string;
  try {
    text = await io.readText(config, maxConfigBytes);
  } catch (error) {
    // A plan without its folder still has its peaks.
    if (error instanceof CommandError) return null;
    throw error;
  }
  const model = readModel(text);
  if (model.kind !== 'model') return null;
  const reading = readRequest(requestOfSettings(plan.settings), { label: (key) => key, timeline: true });
  if (reading.kind === 'refused') return null;
  const answer = estimate(model.architecture, reading.request, false);
  if (answer.kind === 'refused') return null;
  const cards = answer.estimate.cards.map(plannedCardOf);
  const isSame = plan.ranks.every(({ allocatedPeakBytes }, rank) => {
    const card = cards[rank];
    return (
      card !== undefined &&
      Math.abs(card.allocatedPeakBytes - allocatedPeakBytes) <= mostApart * allocatedPeakBytes
    );
  });
  return isSame ? cards : null;
}
