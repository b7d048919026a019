/** The failure messages that are known, each with the Problem that it tells. */
import { normalizeBusId } from './card';
import { cellIndex } from './cell';
import { cardProblem, machineProblem, type CardName } from '../problems';
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
  if (/gpu is lost|fallen off the bus/i.test(reason)) return cardProblem('card-lost', card);
  if (/external power/i.test(reason)) return cardProblem('card-power-missing', card);
  if (/requires? (?:a )?reset/i.test(reason)) return cardProblem('card-needs-reset', card);
  return cardProblem('card-unreachable', card);
}

const anyCard: CardName = { index: null, label: '?' };

/** `Failed to initialize NVML: <reason>`: the reason is one of nvmlErrorString's texts. */
function failedInitialisation(reason: string): Problem {
  if (/version mismatch/i.test(reason)) return machineProblem('driver-mismatch', null);
  if (/insufficient permissions/i.test(reason)) return machineProblem('no-permission');
  if (/unknown error/i.test(reason)) return machineProblem('nvml-unknown-error');
  if (/no supported gpus/i.test(reason)) return machineProblem('no-supported-devices');
  if (/blocked by the operating system/i.test(reason)) return machineProblem('wsl-blocked');
  if (/driver (?:is )?not loaded/i.test(reason)) return machineProblem('driver-not-loaded');
  if (/gpu is lost|external power|requires? (?:a )?reset/i.test(reason))
    return unreachableCard(anyCard, reason);
  if (/shared library|library not found|couldn't be found|\.dll|dll not/i.test(reason))
    return machineProblem('library-missing');
  return machineProblem('nvml-failed', reason.slice(0, 200));
}

/** `nvidia-container-cli: initialization error: <reason>`: the runtime's words for the same NVML errors. */
function containerFailure(reason: string): Problem {
  const nvml = /(?:nvml|driver rpc|driver|cuda) error:\s*(.*)/i.exec(reason)?.[1];
  if (nvml !== undefined && /mismatch|not loaded|unknown error|insufficient permissions/i.test(nvml))
    return failedInitialisation(nvml);
  if (/libnvidia-ml\.so/i.test(reason)) return machineProblem('library-missing');
  return machineProblem('container-runtime', reason.slice(0, 200));
}

const bus = '((?:[0-9a-f]{1,8}:)?[0-9a-f]{1,2}:[0-9a-f]{1,2}\\.[0-7])';
const handle = 'unable to (?:determine|detect|get|retrieve) the device handle for';

const unreachableCards: readonly FailureGrammar[] = [
  {
    pattern: new RegExp(`${handle} (?:gpu\\s*(\\d{1,3})\\s*:\\s*|gpu\\s*)?${bus}\\s*:(.*)`, 'i'),
    read: (match) => unreachableCard(named(match[1], match[2]), match[3] ?? ''),
  },
  {
    pattern: new RegExp(`${handle} (?:gpu\\s*)?(\\S{1,40}?)\\s*:(.*)`, 'i'),
    read: (match) => unreachableCard({ index: cellIndex(match[1]), label: match[1] ?? '?' }, match[2] ?? ''),
  },
  {
    pattern: new RegExp(`gpu (?:at )?${bus} (?:is lost|has fallen off the bus)`, 'i'),
    read: (match) => cardProblem('card-lost', named(undefined, match[1])),
  },
  {
    pattern: new RegExp(`infoROM is corrupted at gpu\\s*${bus}`, 'i'),
    read: (match) => cardProblem('inforom-corrupted', named(undefined, match[1])),
  },
];

const driverFailures: readonly FailureGrammar[] = [
  {
    pattern: /failed to initialize nvml\s*:(.*)/i,
    read: (match) => failedInitialisation((match[1] ?? '').trim()),
  },
  {
    pattern: /(?:couldn['’]t|could not|can['’]t|cannot) communicate with the nvidia driver/i,
    read: () => machineProblem('driver-not-loaded'),
  },
  {
    pattern:
      /couldn['’]t find (?:the )?(?:libnvidia-ml\.so|nvml\.dll)|libnvidia-ml\.so[.\d]*: cannot open shared object/i,
    read: () => machineProblem('library-missing'),
  },
  { pattern: /^\s*no devices (?:were )?found(?:\s*\.)?\s*$/i, read: () => machineProblem('no-devices') },
  { pattern: /^\s*no supported gpus were found/i, read: () => machineProblem('no-supported-devices') },
  {
    pattern: /^\s*(?:nvidia-smi:? )?(?:error: )?insufficient permissions(?:\s*\.)?\s*$/i,
    read: () => machineProblem('no-permission'),
  },
  {
    pattern: /nvidia-smi has failed because (?:you (?:do not have|are not)|of insufficient)[^.]{0,80}/i,
    read: () => machineProblem('no-permission'),
  },
  { pattern: /nvidia-smi['"’]?: permission denied/i, read: () => machineProblem('no-permission') },
  {
    pattern: /(?:nvidia-container-cli|nvidia-container-runtime[^:]{0,20}): (.*)/i,
    read: (match) => containerFailure(match[1] ?? ''),
  },
  {
    pattern: /(could not select device driver .{0,40}with capabilities: \[\[.{0,20}gpu.{0,40})/i,
    read: (match) => machineProblem('container-runtime', (match[1] ?? '').trim()),
  },
];

/** What shells and Windows say in their languages of a program that is not there; the program's name is never translated. */
const notFound: readonly RegExp[] = [
  /\bzsh: [^:]{3,60}: nvidia-smi\s*$/,
  /^\S{0,40}?\bfish: .{3,60}nvidia-smi/,
  // A shell's name, sometimes the line, the program, then whatever is not its refusal to run it.
  /^(?:-?(?:ba|da|k|c|tc|a)?sh|\/\S{1,60}|\S{1,60}\.sh)\s?[:：] ?(?:[^:：]{1,20}\d{1,6}[^:：]{0,4}[:：] ?)?(?:\d{1,6}[:：] ?)?nvidia-smi\s?[:：]\s?(?!.{0,20}(?:permi|denied|berechtigung|отказано|权限|許可|허가))\S/i,
  /(?:Befehl|orden|commande|comando|команда|命令|コマンド|명령)\S{0,4}[^\n]{0,20}nvidia-smi[^\n]{0,40}(?:nicht|no |introuvable|não|non |не |未|见|見|찾)/i,
  /nvidia-smi[^\n]{0,12}(?:Befehl nicht gefunden|orden no encontrada|no se encontró|commande introuvable|comando não encontrado|comando non trovato|команда не найдена|未找到命令|找不到命令|コマンドが見つかりません|명령을 찾을 수 없|opdracht niet gevonden|nie znaleziono|komut bulunamadı)/i,
  // cmd
  /["'„“«]nvidia-smi(?:\.exe)?["'”“»]\s?(?:ist entweder falsch|wurde nicht|n['’]est pas reconnu|no se reconoce|não é reconhecido|non è riconosciuto|не является|不是内部或外部命令|不是內部或外部命令|は、?内部コマンド|은\(는\) 내부|내부 또는)/i,
  /Befehl "nvidia-smi(?:\.exe)?" ist entweder falsch/i,
  // PowerShell
  /nvidia-smi[^\n]{0,80}(?:cmdlet|コマンドレット|командлет)/i,
];

const callFailures: readonly FailureGrammar[] = [
  ...notFound.map((pattern) => ({ pattern, read: () => machineProblem('command-missing') })),
  {
    pattern: /^\s*(.{0,80}could ?n[o'’]t be reset.{0,120}|gpu reset couldn['’]t run.{0,200})$/i,
    read: (match) => machineProblem('request-refused', (match[1] ?? '').trim().slice(0, 200)),
  },
  {
    pattern: /^\s*(?:warning: )?(mig mode is in pending (?:enable|disable) state for gpu.{0,160})$/i,
    read: (match) => machineProblem('request-refused', match[1] ?? ''),
  },
  {
    pattern:
      /^\s*(.{0,80}(?:unresolvable CDI devices|failed to (?:inject|generate|create) .{0,40}CDI|error running createContainer hook|could not apply required modification).{0,200})$/i,
    read: (match) => machineProblem('container-runtime', (match[1] ?? '').trim().slice(0, 200)),
  },
  {
    pattern: /field\s+["“”'‘’]?([\w.]{1,100})["“”'‘’]?\s+is not a valid field to query/i,
    read: (match) => machineProblem('field-unknown', match[1] ?? ''),
  },
  {
    pattern:
      /^\s*(?:error:\s*)?((?:invalid combination of input arguments|option\s+\S+ (?:is not recogni[sz]ed|is missing)|unrecogni[sz]ed (?:option|argument)|invalid (?:argument|option|value)|failed to process command line)\b.*)/i,
    read: (match) => machineProblem('option-invalid', (match[1] ?? '').trim().slice(0, 200)),
  },
  {
    pattern:
      /nvidia-smi(?:\.exe)?['"’”]?\s*(?:: (?:\d+: )?(?:command )?not found|: no such file or directory|: executable file not found|is not recognized)|(?:command not found|executable file not found|unknown command|the term)[^\n]{0,12}['"‘’“ ]nvidia-smi|['"‘]nvidia-smi['"’](?: is)? not (?:be )?(?:found|recognized)|sh: \d+: nvidia-smi: not found/i,
    read: () => machineProblem('command-missing'),
  },
  {
    pattern:
      /^\s*((?:unable|failed) to (?:set|enable|disable|create|destroy|display|reset|query|get|retrieve|update)\b[^:]{0,120}(?:gpu|mig|instance|mode|limit|clock)[^\n]{0,120}:\s*(?:insufficient permissions|in use by another client|in use by another process|not supported|unknown error|not found|insufficient resources|invalid argument|gpu is lost|timeout)\b.*)/i,
    read: (match) => machineProblem('request-refused', (match[1] ?? '').trim().slice(0, 200)),
  },
  { pattern: /segmentation fault|sigsegv/i, read: () => machineProblem('smi-crashed') },
];

/** In this order: the first that fits decides. */
export const failureGrammars: readonly FailureGrammar[] = [
  ...unreachableCards,
  ...driverFailures,
  ...callFailures,
];

/** One of these words is in every message above; lines without are not looked at further. */
export const failureHint =
  /nvml|nvidia|unable to|failed to|devices|device driver|supported gpus|is lost|off the bus|infoROM|valid field|invalid|option|unrecogni|segmentation|sigsegv|permissions|could ?n.?t be reset|gpu reset|pending|CDI|createContainer/i;
