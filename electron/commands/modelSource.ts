/** What `--model FILE|ID` and `headroom model FILE|ID` name: a catalogue entry, or a config.json. */
import { basename, dirname, extname } from 'node:path';
import { closest } from '../../shared/closest';
import { message } from '../../shared/i18n/message';
import { translate } from '../../shared/i18n/translate';
import type { Architecture } from '../../shared/model/architecture';
import { configText } from '../../shared/model/catalogue/configText';
import { catalogue, catalogueEntry } from '../../shared/model/catalogue/catalogue';
import { type ModelReading, readConfig, readModel } from '../../shared/families/readModel';
import { MiB } from '../../shared/units';
import { CommandError, MissingFileError, type CommandIo } from './command';

/** The largest real config, which lists how every tensor is quantised, has 3 MB. */
const maxConfigBytes = 32 * MiB;

export interface NamedModel {
  readonly id: string | null;
  readonly name: string;
  readonly architecture: Architecture;
  /** The text of its config.json. */
  readonly configJson: string;
}

/**
 * A catalogue entry where `given` is its id, else the config in the file of that name (`-`: standard input). Throws
 * CommandError, with the reason, where there is neither or the file is not a model's config.
 */
export async function namedModel(given: string, io: CommandIo): Promise<NamedModel> {
  const entry = catalogueEntry(given);
  if (entry !== null) {
    const architecture = readOrThrow(readConfig(entry.config), given, io);
    return {
      id: entry.id,
      name: entry.name,
      architecture,
      configJson: configText(entry),
    };
  }
  const text = await fileText(given, io);
  const architecture = readOrThrow(readModel(text), given, io);
  return { id: null, name: fileName(given), architecture, configJson: text };
}

async function fileText(file: string, io: CommandIo): Promise<string> {
  try {
    return await io.readText(file, maxConfigBytes);
  } catch (error) {
    if (error instanceof MissingFileError && !looksLikePath(file)) throw new CommandError(unknownId(file));
    throw error;
  }
}

/** `meta-llama/Llama-2-7b-hf` is a name on the Hub, which is never asked. */
const hubId = /^[\w.-]+\/([\w.-]+)$/;

const looksLikePath = (given: string): boolean =>
  /\.json$/i.test(given) || (/[\\/]/.test(given) && !hubId.test(given));

function unknownId(id: string): CommandError['text'] {
  const near = closest(
    (hubId.exec(id)?.[1] ?? id).toLowerCase().replace(/-hf$/, ''),
    catalogue.map((entry) => entry.id),
  );
  return near === null ? message('model.unknownId', { id }) : message('model.unknownIdNear', { id, near });
}

function readOrThrow(reading: ModelReading, file: string, io: CommandIo): Architecture {
  if (reading.kind === 'model') return reading.architecture;
  throw new CommandError(message('model.refused', { file, reason: translate(io.locale, reading.reason) }));
}

/** A file's name without its ending; `config.json` says nothing, so its folder's name stands for it. */
function fileName(file: string): string {
  const name = basename(file, extname(file));
  return name === 'config' && dirname(file) !== '.' ? basename(dirname(file)) : name;
}
