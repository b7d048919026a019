/** The Problems that parsers and sensing report, by their stable codes. */
import { message, type Message } from '../i18n/message';
import type { Problem } from './types';

function build(code: string, gpuIndex: number | null, text: Message, remedy: Message): Problem {
  return { code, gpuIndex, message: text, remedy };
}

/** A card as people name it: its index, or its bus id where the index is not known. */
export interface CardName {
  readonly index: number | null;
  readonly label: string;
}

export const problem = {
  driverMismatch: (libraryVersion: string | null) =>
    build(
      'driver-mismatch',
      null,
      libraryVersion === null
        ? message('problems.driverMismatch')
        : message('problems.driverMismatchVersion', { libraryVersion }),
      message('problems.driverMismatchRemedy'),
    ),
  driverNotLoaded: () =>
    build(
      'driver-not-loaded',
      null,
      message('problems.driverNotLoaded'),
      message('problems.driverNotLoadedRemedy'),
    ),
  noDevices: () =>
    build('no-devices', null, message('problems.noDevices'), message('problems.noDevicesRemedy')),
  noSupportedDevices: () =>
    build(
      'no-supported-devices',
      null,
      message('problems.noSupportedDevices'),
      message('problems.noSupportedDevicesRemedy'),
    ),
  libraryMissing: () =>
    build(
      'library-missing',
      null,
      message('problems.libraryMissing'),
      message('problems.libraryMissingRemedy'),
    ),
  commandMissing: () =>
    build(
      'command-missing',
      null,
      message('problems.commandMissing'),
      message('problems.commandMissingRemedy'),
    ),
  cardLost: (card: CardName) =>
    build(
      'card-lost',
      card.index,
      message('problems.cardLost', { card: card.label }),
      message('problems.cardLostRemedy'),
    ),
  cardUnreachable: (card: CardName) =>
    build(
      'card-unreachable',
      card.index,
      message('problems.cardUnreachable', { card: card.label }),
      message('problems.cardUnreachableRemedy'),
    ),
  cardPowerMissing: (card: CardName) =>
    build(
      'card-power-missing',
      card.index,
      message('problems.cardPowerMissing', { card: card.label }),
      message('problems.cardPowerMissingRemedy'),
    ),
  cardNeedsReset: (card: CardName) =>
    build(
      'card-needs-reset',
      card.index,
      message('problems.cardNeedsReset', { card: card.label }),
      message('problems.cardNeedsResetRemedy', { card: card.label }),
    ),
  cardError: (card: CardName, fields: readonly string[]) =>
    build(
      'card-error',
      card.index,
      message('problems.cardError', { card: card.label, fields: fields.join(', ') }),
      message('problems.cardErrorRemedy'),
    ),
  infoRomCorrupted: (card: CardName) =>
    build(
      'inforom-corrupted',
      card.index,
      message('problems.infoRomCorrupted', { card: card.label }),
      message('problems.infoRomCorruptedRemedy'),
    ),
  noPermission: () =>
    build('no-permission', null, message('problems.noPermission'), message('problems.noPermissionRemedy')),
  nvmlUnknownError: () =>
    build(
      'nvml-unknown-error',
      null,
      message('problems.nvmlUnknownError'),
      message('problems.nvmlUnknownErrorRemedy'),
    ),
  nvmlFailed: (reason: string) =>
    build(
      'nvml-failed',
      null,
      message('problems.nvmlFailed', { reason }),
      message('problems.nvmlFailedRemedy'),
    ),
  wslBlocked: () =>
    build('wsl-blocked', null, message('problems.wslBlocked'), message('problems.wslBlockedRemedy')),
  containerRuntime: (reason: string) =>
    build(
      'container-runtime',
      null,
      message('problems.containerRuntime', { reason }),
      message('problems.containerRuntimeRemedy'),
    ),
  requestRefused: (reason: string) =>
    build(
      'request-refused',
      null,
      message('problems.requestRefused', { reason }),
      message('problems.requestRefusedRemedy'),
    ),
  smiCrashed: () =>
    build('smi-crashed', null, message('problems.smiCrashed'), message('problems.smiCrashedRemedy')),
  fieldUnknown: (field: string) =>
    build(
      'field-unknown',
      null,
      message('problems.fieldUnknown', { field }),
      message('problems.fieldUnknownRemedy'),
    ),
  optionInvalid: (reason: string) =>
    build(
      'option-invalid',
      null,
      message('problems.optionInvalid', { reason }),
      message('problems.optionInvalidRemedy'),
    ),
  unifiedMemory: (card: CardName) =>
    build(
      'unified-memory',
      card.index,
      message('problems.unifiedMemory', { card: card.label }),
      message('problems.unifiedMemoryRemedy'),
    ),
  processesHidden: (card: CardName) =>
    build(
      'processes-hidden',
      card.index,
      message('problems.processesHidden', { card: card.label }),
      message('problems.processesHiddenRemedy'),
    ),
  nvlinkNotInMig: (card: CardName) =>
    build(
      'nvlink-not-in-mig',
      card.index,
      message('problems.nvlinkNotInMig', { card: card.label }),
      message('problems.nvlinkNotInMigRemedy'),
    ),
  inputCut: () => build('input-cut', null, message('problems.inputCut'), message('problems.inputCutRemedy')),
  /** `line` counts from 1. */
  inputDamaged: (count: number, line: number) =>
    build(
      'input-damaged',
      null,
      message('problems.inputDamaged', { count, line }),
      message('problems.inputDamagedRemedy'),
    ),
  cardsMissing: (attached: number, listed: number) =>
    build(
      'cards-missing',
      null,
      message('problems.cardsMissing', { attached, listed }),
      message('problems.cardsMissingRemedy'),
    ),
  headerMissing: () =>
    build('header-missing', null, message('problems.headerMissing'), message('problems.headerMissingRemedy')),
} as const;

/** The name of a card for a text: `0`, or its bus id, or `?`. */
export function cardName(card: {
  readonly index: number | null;
  readonly pciBusId: string | null;
}): CardName {
  return { index: card.index, label: card.index === null ? (card.pciBusId ?? '?') : String(card.index) };
}

/** Problems without repeats: the same code for the same card is said once. */
export function uniqueProblems(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ code, gpuIndex, message: text }) => {
    const key = `${code}/${gpuIndex}/${JSON.stringify(text.values)}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
