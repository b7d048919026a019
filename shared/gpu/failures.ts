/**
 * What nvidia-smi (and the shell around it) prints instead of data. Texts are matched as they were seen in the wild:
 * with and without a space after `GPU`, one or two spaces between sentences, straight and curly quotes.
 */
import { normalizeBusId } from './card';
import { problem, uniqueProblems, type CardName } from './problems';
import type { Problem } from './types';

interface Grammar {
  readonly pattern: RegExp;
  readonly read: (match: RegExpMatchArray) => Problem;
}

function named(busId: string | undefined): CardName {
  return { index: null, label: normalizeBusId(busId) ?? busId ?? '?' };
}

/** `Unable to determine the device handle for GPU 0000:0B:00.0: <reason>`; Windows builds wrote "detect" once. */
function unreachableCard(busId: string | undefined, reason: string): Problem {
  if (/gpu is lost|fallen off the bus/i.test(reason)) return problem.cardLost(named(busId));
  if (/external power/i.test(reason)) return problem.cardPowerMissing(named(busId));
  if (/requires? (?:a )?reset/i.test(reason)) return problem.cardNeedsReset(named(busId));
  return problem.cardUnreachable(named(busId));
}

/** `Failed to initialize NVML: <reason>`: the reason is one of nvmlErrorString's texts. */
function failedInitialisation(reason: string): Problem {
  if (/version mismatch/i.test(reason)) return problem.driverMismatch(null);
  if (/insufficient permissions/i.test(reason)) return problem.noPermission();
  if (/unknown error/i.test(reason)) return problem.nvmlUnknownError();
  if (/no supported gpus/i.test(reason)) return problem.noSupportedDevices();
  if (/blocked by the operating system/i.test(reason)) return problem.wslBlocked();
  if (/driver not loaded|driver is not loaded/i.test(reason)) return problem.driverNotLoaded();
  if (/gpu is lost/i.test(reason)) return problem.cardLost({ index: null, label: '?' });
  if (/external power/i.test(reason)) return problem.cardPowerMissing({ index: null, label: '?' });
  if (/shared library|library not found|couldn't be found|dll/i.test(reason)) return problem.libraryMissing();
  return problem.nvmlFailed(reason);
}

const busId = '((?:[0-9a-f]{1,8}:)?[0-9a-f]{1,2}:[0-9a-f]{1,2}\\.[0-7])';

const grammars: readonly Grammar[] = [
  {
    pattern: new RegExp(
      `unable to (?:determine|detect) the device handle for (?:gpu\\s*)?${busId}\\s*:\\s*(.*)`,
      'i',
    ),
    read: (match) => unreachableCard(match[1], match[2] ?? ''),
  },
  {
    pattern: /unable to (?:determine|detect) the device handle for (?:gpu\s*)?(\S{1,40}?)\s*:\s*(.*)/i,
    read: (match) => unreachableCard(match[1], match[2] ?? ''),
  },
  {
    pattern: new RegExp(`gpu (?:at )?${busId} (?:is lost|has fallen off the bus)`, 'i'),
    read: (match) => problem.cardLost(named(match[1])),
  },
  {
    pattern: /failed to initialize nvml:\s*(.*)/i,
    read: (match) => failedInitialisation((match[1] ?? '').trim()),
  },
  {
    pattern: /(?:couldn['’]t|could not|can['’]t|cannot) communicate with the nvidia driver/i,
    read: () => problem.driverNotLoaded(),
  },
  {
    pattern:
      /couldn['’]t find (?:libnvidia-ml\.so|nvml\.dll)|libnvidia-ml\.so[.\d]*: cannot open shared object/i,
    read: () => problem.libraryMissing(),
  },
  { pattern: /^\s*no devices were found\s*\.?\s*$/i, read: () => problem.noDevices() },
  { pattern: /^\s*no supported gpus were found/i, read: () => problem.noSupportedDevices() },
  {
    pattern: new RegExp(`infoROM is corrupted at gpu\\s*${busId}`, 'i'),
    read: (match) => problem.infoRomCorrupted(named(match[1])),
  },
  {
    pattern: /field\s+["“'‘]?([\w.]{1,100})["”'’]?\s+is not a valid field to query/i,
    read: (match) => problem.fieldUnknown(match[1] ?? ''),
  },
  {
    pattern:
      /^\s*((?:invalid combination of input arguments|option\s+\S+ is not recognized|unrecognized (?:option|argument)|invalid (?:argument|option|value))\b.*)/i,
    read: (match) => problem.optionInvalid((match[1] ?? '').trim().slice(0, 200)),
  },
  {
    pattern:
      /nvidia-smi(?:\.exe)?['"’”]?\s*(?:: (?:command )?not found|: no such file or directory|is not recognized|: executable file not found)|(?:command not found|executable file not found|unknown command)[^\n]{0,40}nvidia-smi|['"]nvidia-smi['"][^\n]{0,20}not (?:be )?found|the term ['‘]nvidia-smi/i,
    read: () => problem.commandMissing(),
  },
  { pattern: /segmentation fault|sigsegv/i, read: () => problem.smiCrashed() },
  {
    pattern: /^\s*(?:nvidia-smi:? )?(?:error: )?insufficient permissions\s*\.?\s*$/i,
    read: () => problem.noPermission(),
  },
];

/** A failure says its words early in the line; longer lines are data. */
const longestFailureLine = 1000;
const hint =
  /unable to|gpu|nvml|nvidia-smi|communicate|libnvidia|devices|infoROM|valid field|invalid|option|unrecognized|segmentation|sigsegv|permissions|nvidia driver/i;

/** The Problem that one line tells, or null where it tells none. The line is not searched beyond 1,000 characters. */
export function readFailure(line: string): Problem | null {
  if (line.length > longestFailureLine || !hint.test(line)) return null;
  for (const { pattern, read } of grammars) {
    const match = pattern.exec(line);
    if (match !== null) return read(match);
  }
  return null;
}

/**
 * All failures in a text, each once; empty where there is none. Wrapped lines are joined, so that a console's line
 * breaks do not hide a message. The library version that newer drivers print below a mismatch becomes part of it.
 */
export function readFailures(text: string): Problem[] {
  const problems = text.split('\n').flatMap((line) => readFailure(line.trim()) ?? []);
  if (problems.length === 0 && text.length <= longestFailureLine) {
    const joined = readFailure(text.replace(/\s+/g, ' ').trim());
    if (joined !== null) problems.push(joined);
  }
  const version = /NVML library version:\s*([\d.]{1,30})/i.exec(text)?.[1] ?? null;
  return uniqueProblems(problems).map((found) =>
    found.code === 'driver-mismatch' && version !== null ? problem.driverMismatch(version) : found,
  );
}
