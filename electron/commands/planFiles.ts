/** Writes the files of a plan into a folder. */
import { lstat, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { message, type Message } from '../../shared/i18n/message';
import type { Locale } from '../../shared/i18n/translate';
import { version } from '../../package.json';
import { launchFolder } from '../../shared/launch/folder';
import { launchPlanOf } from '../../shared/strategy/launchPlan';
import type { Plan } from '../../shared/strategy/types';
import { errorCode, problemText } from '../errors';
import { writeNew } from '../storage/safeWrite';
import { CommandError } from './command';
import type { NamedModel } from './modelSource';

export interface WriteOptions {
  readonly locale: Locale;
  readonly force: boolean;
}

/** Why files cannot be written for a plan; null where they can. */
export function noFilesBecause(
  plan: Plan,
  { architecture, configJson, id, name }: NamedModel,
): Message | null {
  const answer = launchPlanOf(plan, { architecture, configJson, name: id ?? name });
  return answer.kind === 'refused' ? answer.why : null;
}

/** Throws CommandError where a file has the folder's name, before anything is planned for it. */
export async function refuseFile(folder: string): Promise<void> {
  if ((await exists(folder)) && !(await stat(folder)).isDirectory())
    throw new CommandError(message('planCommand.notAFolder', { file: folder }));
}

/**
 * The paths of the written files. Throws CommandError, before anything is written, where a plan has no files or one of them is
 * there already and `force` is not set.
 */
export async function writeLaunchFolder(
  folder: string,
  plan: Plan,
  model: NamedModel,
  { force, locale }: WriteOptions,
): Promise<readonly string[]> {
  const { architecture, configJson } = model;
  const answer = launchPlanOf(plan, { architecture, configJson, name: model.id ?? model.name });
  if (answer.kind === 'refused') throw new CommandError(answer.why);
  const files = launchFolder(answer.plan, locale, version).map(({ name, text }) => ({
    path: join(folder, name),
    text,
  }));
  if (!force)
    for (const { path } of files)
      if (await exists(path, lstat))
        throw new CommandError(message('planCommand.fileExists', { file: path }));
  await attempt(folder, () => makeFolder(folder));
  for (const { path, text } of files) {
    const mode = path.endsWith('.sh') ? 0o755 : 0o644;
    await attempt(path, () => writeNew(path, text, { mode, replace: force }));
  }
  return files.map(({ path }) => path);
}

/** Parent by parent: Node's own `recursive` never ends where a folder refuses new ones with ENOENT, as those in /proc do. */
async function makeFolder(folder: string): Promise<void> {
  const parent = dirname(folder);
  if (await exists(folder)) return;
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder);
}

/** `look`: whether a link counts itself (`lstat`), or what it leads to. */
async function exists(path: string, look: (path: string) => Promise<unknown> = stat): Promise<boolean> {
  try {
    await look(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    if (errorCode(error) === 'ENOTDIR')
      throw new CommandError(message('planCommand.notAFolder', { file: path }));
    throw new CommandError(failure(path, error));
  }
}

async function attempt(path: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new CommandError(failure(path, error));
  }
}

const failure = (file: string, error: unknown): CommandError['text'] =>
  message('planCommand.writeFailed', { file, reason: problemText(error) });
