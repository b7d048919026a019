/** The failure messages that are known, each with the Problem that it tells. */
import { normalizeBusId } from './card';
import { cellIndex } from './cell';
import { problem, type CardName } from '../problems';
import type { Problem } from '../types';

export interface FailureGrammar {
  readonly pattern: RegExp;
  readonly read: (match: RegExpMatchArray) => Problem;
}

/** The card as the message names it: by bus id, in newer drivers by index and bus id (`GPU0: 0000:01:00.0`). */
function named(index: string | undefined, busId: string | undefined): CardName {
  return { index: cellIndex(index), label: index ?? normalizeBusId(busId) ?? busId ?? '?' };
}

/** `Unable to determine the device handle for GPU 0000:0B:00.0: <reason>`; seen once with "detect" (Windows). */
function unreachableCard(card: CardName, reason: string): Problem {
  if (/gpu is lost|fallen off the bus/i.test(reason)) return problem.cardLost(card);
  if (/external power/i.test(reason)) return problem.cardPowerMissing(card);
  if (/requires? (?:a )?reset/i.test(reason)) return problem.cardNeedsReset(card);
  return problem.cardUnreachable(card);
}

const anyCard: CardName = { index: null, label: '?' };

/** `Failed to initialize NVML: <reason>`: the reason is one of nvmlErrorString's texts. */
function failedInitialisation(reason: string): Problem {
  if (/version mismatch/i.test(reason)) return problem.driverMismatch(null);
  if (/insufficient permissions/i.test(reason)) return problem.noPermission();
  if (/unknown error/i.test(reason)) return problem.nvmlUnknownError();
  if (/no supported gpus/i.test(reason)) return problem.noSupportedDevices();
  if (/blocked by the operating system/i.test(reason)) return problem.wslBlocked();
  if (/driver (?:is )?not loaded/i.test(reason)) return problem.driverNotLoaded();
  if (/gpu is lost|external power|requires? (?:a )?reset/i.test(reason))
    return unreachableCard(anyCard, reason);
  if (/shared library|library not found|couldn't be found|\.dll|dll not/i.test(reason))
    return problem.libraryMissing();
  return problem.nvmlFailed(reason.slice(0, 200));
}

/** `nvidia-container-cli: initialization error: <reason>`: the runtime's words for the same NVML errors. */
function containerFailure(reason: string): Problem {
  const nvml = /(?:nvml|driver rpc|driver|cuda) error:\s*(.*)/i.exec(reason)?.[1];
  if (nvml !== undefined && /mismatch|not loaded|unknown error|insufficient permissions/i.test(nvml))
    return failedInitialisation(nvml);
  if (/libnvidia-ml\.so/i.test(reason)) return problem.libraryMissing();
  return problem.containerRuntime(reason.slice(0, 200));
}

const bus = '((?:[0-9a-f]{1,8}:)?[0-9a-f]{1,2}:[0-9a-f]{1,2}\\.[0-7])';
const handle = 'unable to (?:determine|detect|get|retrieve) the device handle for';

const unreachableCards: readonly FailureGrammar[] = [
  {
    pattern: new RegExp(`${handle} (?:gpu\\s*(\\d{1,3})\\s*:\\s*|gpu\\s*)?${bus}\\s*:\\s*(.*)`, 'i'),
    read: (match) => unreachableCard(named(match[1], match[2]), match[3] ?? ''),
  },
  {
    pattern: new RegExp(`${handle} (?:gpu\\s*)?(\\S{1,40}?)\\s*:\\s*(.*)`, 'i'),
    read: (match) => unreachableCard({ index: cellIndex(match[1]), label: match[1] ?? '?' }, match[2] ?? ''),
  },
  {
    pattern: new RegExp(`gpu (?:at )?${bus} (?:is lost|has fallen off the bus)`, 'i'),
    read: (match) => problem.cardLost(named(undefined, match[1])),
  },
  {
    pattern: new RegExp(`infoROM is corrupted at gpu\\s*${bus}`, 'i'),
    read: (match) => problem.infoRomCorrupted(named(undefined, match[1])),
  },
];

const driverFailures: readonly FailureGrammar[] = [
  {
    pattern: /failed to initialize nvml\s*:\s*(.*)/i,
    read: (match) => failedInitialisation((match[1] ?? '').trim()),
  },
  {
    pattern: /(?:couldn['’]t|could not|can['’]t|cannot) communicate with the nvidia driver/i,
    read: () => problem.driverNotLoaded(),
  },
  {
    pattern:
      /couldn['’]t find (?:the )?(?:libnvidia-ml\.so|nvml\.dll)|libnvidia-ml\.so[.\d]*: cannot open shared object/i,
    read: () => problem.libraryMissing(),
  },
  { pattern: /^\s*no devices (?:were )?found\s*\.?\s*$/i, read: () => problem.noDevices() },
  { pattern: /^\s*no supported gpus were found/i, read: () => problem.noSupportedDevices() },
  {
    pattern: /^\s*(?:nvidia-smi:? )?(?:error: )?insufficient permissions\s*\.?\s*$/i,
    read: () => problem.noPermission(),
  },
  {
    pattern: /nvidia-smi has failed because (?:you (?:do not have|are not)|of insufficient)[^.]{0,80}/i,
    read: () => problem.noPermission(),
  },
  { pattern: /nvidia-smi['"’]?: permission denied/i, read: () => problem.noPermission() },
  {
    pattern: /(?:nvidia-container-cli|nvidia-container-runtime[^:]{0,20}): (.*)/i,
    read: (match) => containerFailure(match[1] ?? ''),
  },
  {
    pattern: /(could not select device driver .{0,40}with capabilities: \[\[.{0,20}gpu.{0,40})/i,
    read: (match) => problem.containerRuntime((match[1] ?? '').trim()),
  },
];

const callFailures: readonly FailureGrammar[] = [
  {
    pattern: /field\s+["“”'‘’]?([\w.]{1,100})["“”'‘’]?\s+is not a valid field to query/i,
    read: (match) => problem.fieldUnknown(match[1] ?? ''),
  },
  {
    pattern:
      /^\s*(?:error:\s*)?((?:invalid combination of input arguments|option\s+\S+ (?:is not recogni[sz]ed|is missing)|unrecogni[sz]ed (?:option|argument)|invalid (?:argument|option|value)|failed to process command line)\b.*)/i,
    read: (match) => problem.optionInvalid((match[1] ?? '').trim().slice(0, 200)),
  },
  {
    pattern:
      /nvidia-smi(?:\.exe)?['"’”]?\s*(?:: (?:\d+: )?(?:command )?not found|: no such file or directory|: executable file not found|is not recognized)|(?:command not found|executable file not found|unknown command|the term)[^\n]{0,12}['"‘’“ ]nvidia-smi|['"‘]nvidia-smi['"’](?: is)? not (?:be )?(?:found|recognized)|sh: \d+: nvidia-smi: not found/i,
    read: () => problem.commandMissing(),
  },
  {
    pattern:
      /^\s*((?:unable|failed) to (?:set|enable|disable|create|destroy|display|reset|query|get|retrieve|update)\b[^:]{0,120}(?:gpu|mig|instance|mode|limit|clock)[^\n]{0,120}:\s*(?:insufficient permissions|in use by another client|in use by another process|not supported|unknown error|not found|insufficient resources|invalid argument|gpu is lost|timeout)\b.*)/i,
    read: (match) => problem.requestRefused((match[1] ?? '').trim().slice(0, 200)),
  },
  { pattern: /segmentation fault|sigsegv/i, read: () => problem.smiCrashed() },
];

/** In this order: the first that fits decides. */
export const failureGrammars: readonly FailureGrammar[] = [
  ...unreachableCards,
  ...driverFailures,
  ...callFailures,
];

/** One of these words is in every message above; lines without are not looked at further. */
export const failureHint =
  /nvml|nvidia|unable to|failed to|devices|device driver|supported gpus|is lost|off the bus|infoROM|valid field|invalid|option|unrecogni|segmentation|sigsegv|permissions/i;
