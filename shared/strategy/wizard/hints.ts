/** What other places of the app know already, as answers of the wizard. */
import type { PlanHint } from '../../doctor/view/planHint';
import { catalogue } from '../../model/catalogue/catalogue';
import { MiB } from '../../units';
import type { PlanAnswers } from './answers';
import type { Machine } from './machine';

/** More cards than a failure text ever shows of one machine. */
const mostRanks = 64;
/** CUDA's capacity of a card is a little less than nvidia-smi's total. */
const sameSizeShare = 0.04;

/**
 * The cards that a failure text told of, and the model where it names one that is known; a text that tells of one card
 * and several ranks means as many such cards. What was seen to fail on this machine is planned as a job of this machine:
 * on all its cards, with the model of its command.
 */
export function answersOfHint(answers: PlanAnswers, hint: PlanHint, machine: Machine): PlanAnswers {
  if (hint.seenHere !== null) {
    const { command } = hint.seenHere;
    return answersOfJob(answers, [...(command === null ? [] : [command]), ...callsOf(hint.text)]);
  }
  return { ...answers, ...cardsOfHint(hint, machine), ...modelOf(callsOf(hint.text)) };
}

/** What a text says was loaded, or started with which arguments, each as a command that names a model. */
function callsOf(text: string): readonly (readonly string[])[] {
  const named = /from_pretrained\(\s*["']([^"'\n]+)["']|--?\w*model[\w-]*[= ]\s*["']?([^\s"']+)/gi;
  return [...text.matchAll(named)].map(([, loaded, given]) => ['', '--model', loaded ?? given ?? '']);
}

function cardsOfHint(hint: PlanHint, machine: Machine): Pick<PlanAnswers, 'cards'> | null {
  const sizes = hint.cards.map(({ availableBytes, totalBytes }) => availableBytes ?? totalBytes);
  const [first] = sizes;
  if (first === undefined) return null;
  const ranks = Math.min(hint.ranks ?? 1, mostRanks);
  const all = sizes.length === 1 ? Array.from({ length: ranks }, () => first) : sizes;
  const total = hint.cards[0]?.totalBytes ?? first;
  const known = machine.cards.find(
    ({ totalBytes }) => Math.abs(totalBytes - total) <= sameSizeShare * totalBytes,
  );
  return { cards: { kind: 'given', text: cardsText(all), cardName: known?.name ?? null } };
}

function cardsText(sizes: readonly number[]): string {
  const mib = sizes.map((bytes) => Math.floor(bytes / MiB));
  const [first] = mib;
  if (first !== undefined && mib.every((size) => size === first)) return `${mib.length} x ${first} MiB`;
  return mib.join(', ');
}

/** The detected cards, and the model that a job's command line names where it is known. */
export function answersOfJob(answers: PlanAnswers, commands: readonly (readonly string[])[]): PlanAnswers {
  return {
    ...answers,
    ...modelOf(commands),
    cards: { kind: 'detected', memory: 'free', leftOut: [] },
  };
}

function modelOf(commands: readonly (readonly string[])[]): Pick<PlanAnswers, 'model'> | null {
  const id = commands.map(modelOfCommand).find((found) => found !== null) ?? null;
  return id === null ? null : { model: { kind: 'catalogue', id } };
}

/** The catalogue's id of a model that an argument names, as an id, a repository or a folder; null: none does. */
export function modelOfCommand(command: readonly string[]): string | null {
  const named = command.flatMap((argument, place) => {
    const [flag = '', value] = argument.split('=', 2);
    if (!/^--?\w*model[\w-]*$/i.test(flag)) return [];
    return [value ?? command[place + 1] ?? ''];
  });
  const others = command.slice(1).filter((argument) => !argument.startsWith('-'));
  for (const text of [...named, ...others]) {
    const wanted = plainName(text);
    const found = catalogue.find(({ id, name, source }) =>
      [id, name, repositoryOf(source)].some((known) => known !== null && plainName(known) === wanted),
    );
    if (found !== undefined) return found.id;
  }
  return null;
}

/** `https://huggingface.co/meta-llama/Llama-2-13b-hf/blob/…`: Llama-2-13b-hf. */
const repositoryOf = (source: string | null): string | null =>
  /huggingface\.co\/[^/]+\/([^/]+)/.exec(source ?? '')?.[1] ?? null;

/** The last part of a path, without the endings that repositories add and without punctuation. */
function plainName(text: string): string {
  const last =
    text
      .split(/[\\/]/)
      .filter((part) => part !== '')
      .at(-1) ?? '';
  return last
    .toLowerCase()
    .replace(/[-_](hf|instruct|chat|it|base)$/, '')
    .replace(/[^a-z0-9]/g, '');
}
