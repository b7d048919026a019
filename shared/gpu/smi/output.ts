/** Any text that nvidia-smi may have printed: which of its outputs it is, and what it says. */
import { listedCardLine, readList, readNvlink } from './list';
import { readFailures } from './failures';
import { isMigOutput, readMig } from './mig';
import { monitorHeader, readDmon, readPmon } from './monitor';
import { headerFields } from './csv';
import { isGpuField } from './gpuFields';
import { machineProblem } from '../problems';
import { readHeaderlessGpu } from './headerless';
import { appRowReader, appsHeader, guessedAppFields, readQueryApps, usualAppFields } from './queryApps';
import { readQueryGpu } from './queryGpu';
import { readQueryText } from './queryText';
import { readQueryXml } from './queryXml';
import { emptyReading } from './reading';
import { readTable } from './table';
import { readTopology, topologyHeader } from './topology';
import type { GpuReading, OutputFormat } from '../types';
import { readVersion } from './version';

interface Recognizer {
  readonly isIt: (text: string) => boolean;
  readonly read: (text: string) => GpuReading;
}

function anyLine(text: string, test: (line: string) => boolean): boolean {
  let from = 0;
  while (from <= text.length) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end < 0 ? text.length : end);
    if (test(line)) return true;
    if (end < 0) return false;
    from = end + 1;
  }
  return false;
}

function monitorColumns(text: string, wanted: (columns: readonly string[]) => boolean): boolean {
  return anyLine(text, (line) => {
    const columns = monitorHeader(line);
    return columns !== null && wanted(columns);
  });
}

function isList(text: string): boolean {
  return anyLine(text, (line) => line.length <= 400 && listedCardLine.test(line.trim()));
}

/** In this order: the first that fits decides. Data comes before failures, since warnings may follow data. */
const recognizers: readonly Recognizer[] = [
  {
    isIt: (text) => text.includes('<nvidia_smi_log') || /<!DOCTYPE nvidia_smi_log/.test(text),
    read: readQueryXml,
  },
  {
    isIt: (text) =>
      /^[ \t]*=+[ \t]*NVSMI LOG[ \t]*=/m.test(text) ||
      /^[ \t]*GPU [0-9A-F]{4,8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-7][ \t]*$/m.test(text),
    read: readQueryText,
  },
  { isIt: isMigOutput, read: readMig },
  {
    isIt: (text) =>
      /\|\s*NVIDIA-SMI \d/.test(text) ||
      /\|\s*GPU\s+Name\s.{0,40}\|\s*Bus-Id/.test(text) ||
      /\|\s*\d{1,3}\s+\S[^|\n]{0,60}\|\s*[0-9A-F]{8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-7]\s/.test(text) ||
      /^[ \t]*\|[ \t]*Processes:\s/m.test(text),
    read: readTable,
  },
  { isIt: (text) => /^[ \t]*NVIDIA-SMI version[ \t]*:/im.test(text), read: readVersion },
  { isIt: (text) => monitorColumns(text, (columns) => columns.includes('pid')), read: readPmon },
  { isIt: (text) => monitorColumns(text, () => true), read: readDmon },
  { isIt: (text) => isList(text) && /^[ \t]*(?:Link \d|.{0,60}\bnvlink\b)/im.test(text), read: readNvlink },
  { isIt: isList, read: readList },
  { isIt: (text) => anyLine(text, (line) => topologyHeader(line) !== null), read: readTopology },
  { isIt: (text) => anyLine(text, (line) => appsHeader(line.trim()) !== null), read: readQueryApps },
  {
    isIt: (text) => anyLine(text, (line) => headerFields(line.trim(), isGpuField) !== null),
    read: readQueryGpu,
  },
];

const usualAppRow = appRowReader(usualAppFields);

/** Two cells of such a row must have the right shape: a card's UUID and a pid. */
function isHeaderlessApps(text: string): boolean {
  return anyLine(text, (line) => {
    const row = line.length > 8000 ? null : usualAppRow(line.trim());
    return row !== null && row.process.gpuUuid !== null && (row.process.pid !== null || row.hidden);
  });
}

/**
 * Reads a saved output of nvidia-smi. Never throws: cut and damaged input gives what could be read and a Problem; a
 * text with only a failure has the format `error`, one that is not nvidia-smi's `unknown`.
 */
export function readOutput(input: string): GpuReading {
  const text = plainText(input);
  const recognizer = recognizers.find(({ isIt }) => isIt(text));
  if (recognizer !== undefined) return orCut(recognizer.read(text));
  if (isHeaderlessApps(text)) return readQueryApps(text);
  const fields = guessedAppFields(text);
  if (fields !== null) return readQueryApps(text, fields);
  const headerless = readHeaderlessGpu(text);
  if (headerless !== null) return headerless;
  const problems = readFailures(text).filter(({ code }) => code !== 'smi-crashed' || isShort(text));
  return { ...emptyReading(problems.length > 0 ? 'error' : 'unknown'), problems };
}

/** Outputs that always tell of a card. The others may be empty: no process runs. */
const tellOfCards: readonly OutputFormat[] = [
  'xml',
  'table',
  'query-text',
  'csv-gpu',
  'list',
  'topo',
  'dmon',
  'nvlink',
];

/** An output of which only the head is left has lost what it was saved for, and says so. */
function orCut(reading: GpuReading): GpuReading {
  const { cards, format, problems, processes } = reading;
  const isEmpty = cards.length === 0 && processes.length === 0 && problems.length === 0;
  return isEmpty && tellOfCards.includes(format)
    ? { ...reading, problems: [machineProblem('input-cut')] }
    : reading;
}

/** Any program may crash: only a text with nothing else is nvidia-smi's own crash. */
function isShort(text: string): boolean {
  return text.length <= 1000 && text.trim().split('\n').length <= 5;
}

/** The text without what editors, terminals and web pages add to it. */
function plainText(input: string): string {
  return (
    input
      .replace(/^\ufeff/, '')
      .replace(/\r\n?/g, '\n')
      .replaceAll('\u00a0', ' ')
      // eslint-disable-next-line no-control-regex -- terminal colours begin with the escape character
      .replace(/\u001b\[[\d;?]{0,12}[A-Za-z]/g, '')
  );
}
