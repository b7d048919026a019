/** `headroom model FILE|ID` and `model --list`: what a model is and how many parameters it has. */
import { message } from '../../shared/i18n/message';
import { catalogue } from '../../shared/model/catalogue/catalogue';
import { readConfig } from '../../shared/families/readModel';
import { modelSummary, type ModelSummary } from '../../shared/model/summary';
import { printable } from '../../shared/printable';
import { formatNumber } from '../../shared/units';
import { CommandError, type Command, type CommandIo } from './command';
import { namedModel } from './modelSource';
import { columns, writeJson, writeLine } from './output';

export const model: Command = {
  name: 'model',
  summary: message('model.commandSummary'),
  positionals: [{ name: 'FILE|ID', required: false }],
  flags: [{ kind: 'switch', name: 'list', help: message('model.flagList') }],
  async run(args, io) {
    const given = args.positionals[0];
    if (args.has('list')) {
      if (given !== undefined) throw new CommandError(message('cli.extraArgument', { argument: given }));
      await writeList(args.has('json'), io);
      return 0;
    }
    if (given === undefined) throw new CommandError(message('cli.argumentMissing', { argument: 'FILE|ID' }));
    const { id, name, architecture } = await namedModel(given, io);
    const summary = modelSummary(architecture, id, name);
    if (args.has('json')) await writeJson(io, summary);
    else await writeText(summary, io);
    return 0;
  },
};

/** Every catalogue entry with its size, in the catalogue's order. */
async function writeList(asJson: boolean, io: CommandIo): Promise<void> {
  const models = catalogue.map((entry) => {
    const reading = readConfig(entry.config);
    if (reading.kind === 'refused') throw new Error(`catalogue entry ${entry.id}: ${reading.reason.key}`);
    const summary = modelSummary(reading.architecture, entry.id, entry.name);
    return { ...summary, source: entry.source };
  });
  if (asJson) return writeJson(io, models);
  const rows = models.map(({ id, parameters, name }) => [
    id ?? '',
    formatNumber(parameters, io.locale),
    name,
  ]);
  for (const line of columns(rows)) await writeLine(io, line);
}

async function writeText(summary: ModelSummary, io: CommandIo): Promise<void> {
  const { name, architecture, family, parameters, layers, hiddenSize, vocabularySize, warnings } = summary;
  await writeLine(io, printable(name));
  await writeLine(io, message('model.textClass', { architecture: printable(architecture), family }));
  await writeLine(io, message('model.textParameters', { count: parameters }));
  await writeLine(
    io,
    vocabularySize === null
      ? message('model.textSizes', { layers, hiddenSize })
      : message('model.textSizesWithVocabulary', { layers, hiddenSize, vocabularySize }),
  );
  for (const warning of warnings) await writeLine(io, warning);
}
