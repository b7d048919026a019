/** `headroom estimate --batch`: one request a line, one answer a line, in order. */
import { message, type Message } from '../../shared/i18n/message';
import { isRecord } from '../../shared/model/configFields';
import { estimate } from '../../shared/memory/estimate';
import { readRequest, withCardMemory } from '../../shared/memory/request';
import { printable } from '../../shared/printable';
import { GiB, MiB } from '../../shared/units';
import { problemText } from '../errors';
import { CommandError, type CommandIo } from './command';
import { estimateJson } from './estimateJson';
import { namedModel, type NamedModel } from './modelSource';
import { writeJson } from './output';

/** The whole file, and one line of it, which may name a hundred LoRA targets but no novel. */
const maxInputBytes = GiB;
const maxLineBytes = MiB;

/** Answers every line; a line that cannot be answered gets `{ error }`, and the rest goes on. */
export async function answerBatch(file: string, io: CommandIo): Promise<void> {
  const models = new Map<string, Promise<NamedModel>>();
  for await (const line of linesOf(io.readChunks(file, maxInputBytes))) {
    if (io.signal.aborted) return;
    if (line.trim() === '') continue;
    await writeJson(io, await answerLine(line, models, io));
  }
}

async function answerLine(
  line: string,
  models: Map<string, Promise<NamedModel>>,
  io: CommandIo,
): Promise<unknown> {
  try {
    const value = parseLine(line);
    if (!isRecord(value)) return { error: message('memory.requestNotObject') };
    const { model: given, ...rest } = value;
    if (typeof given !== 'string') return { error: message('estimate.batchModelMissing') };
    const { architecture } = await modelOf(given, models, io);
    const reading = readRequest(rest, { label: (key) => key, timeline: false });
    if (reading.kind === 'refused') return { error: reading.reason };
    const { request, warnings } = withCardMemory(reading);
    const answer = estimate(architecture, request);
    if (answer.kind === 'refused') return { error: answer.reason };
    return {
      ...estimateJson(answer.estimate),
      warnings: [...reading.warnings, ...warnings, ...answer.estimate.warnings],
    };
  } catch (error) {
    if (error instanceof CommandError) return { error: error.text };
    // A fault of ours in one line must not cost the answers to the lines after it.
    return { error: message('cli.internalFault', { reason: printable(String(error)) }) };
  }
}

/** Each model is read once, however many lines name it. */
function modelOf(
  given: string,
  models: Map<string, Promise<NamedModel>>,
  io: CommandIo,
): Promise<NamedModel> {
  const known = models.get(given);
  if (known !== undefined) return known;
  const reading = namedModel(given, io);
  models.set(given, reading);
  return reading;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new CommandError(badLine(error));
  }
}

function badLine(error: unknown): Message {
  return message('estimate.badLine', { reason: problemText(error) });
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > maxLineBytes)
      throw new CommandError(message('estimate.lineTooLong', { limit: maxLineBytes }));
    yield* lines;
  }
  if (rest !== '') yield rest;
}
