/**
 * Every Problem that parsers and sensing report: one row each, by its stable code. A row gives the text and the remedy;
 * a code without one does not compile, nor does a row without a caller's values.
 */
import { message, type Message } from '../i18n/message';
import type { Problem } from './types';

type Texts = readonly [text: Message, remedy: Message];

/** What each problem of the machine needs to be said. */
interface MachineValues {
  readonly 'driver-mismatch': [libraryVersion: string | null];
  readonly 'driver-not-loaded': [];
  readonly 'no-devices': [];
  readonly 'no-supported-devices': [];
  readonly 'library-missing': [];
  readonly 'command-missing': [];
  readonly 'no-permission': [];
  readonly 'nvml-unknown-error': [];
  readonly 'nvml-failed': [reason: string];
  readonly 'wsl-blocked': [];
  readonly 'container-runtime': [reason: string];
  readonly 'request-refused': [reason: string];
  readonly 'field-unknown': [field: string];
  readonly 'option-invalid': [reason: string];
  readonly 'input-cut': [];
  /** `line` counts from 1. */
  readonly 'input-damaged': [count: number, line: number];
  readonly 'cards-missing': [attached: number, listed: number];
  readonly 'header-missing': [];
  readonly 'smi-crashed': [];
  readonly 'smi-not-allowed': [path: string, reason: string];
  readonly 'smi-silent': [seconds: number];
  readonly 'smi-stuck': [pid: number | null];
  readonly 'smi-ended': [status: string];
  readonly 'smi-unknown-text': [text: string];
  readonly 'smi-flood': [limit: number];
  readonly 'smi-details-missing': [];
  readonly 'outside-namespace': [];
  readonly 'sensing-ended': [];
}

/** What each problem of a card needs beside the card. */
interface CardValues {
  readonly 'card-lost': [];
  readonly 'card-unreachable': [];
  readonly 'card-power-missing': [];
  readonly 'card-needs-reset': [];
  readonly 'card-error': [fields: readonly string[]];
  readonly 'inforom-corrupted': [];
  readonly 'unified-memory': [];
  readonly 'processes-hidden': [];
  readonly 'nvlink-not-in-mig': [];
  readonly 'memory-unattributed': [usedBytes: number];
}

type MachineProblemCode = keyof MachineValues;
type CardProblemCode = keyof CardValues;
export type ProblemCode = MachineProblemCode | CardProblemCode;

const machineTexts: { readonly [Code in MachineProblemCode]: (...values: MachineValues[Code]) => Texts } = {
  'driver-mismatch': (libraryVersion) => [
    libraryVersion === null
      ? message('problems.driverMismatch')
      : message('problems.driverMismatchVersion', { libraryVersion }),
    message('problems.driverMismatchRemedy'),
  ],
  'driver-not-loaded': () => [message('problems.driverNotLoaded'), message('problems.driverNotLoadedRemedy')],
  'no-devices': () => [message('problems.noDevices'), message('problems.noDevicesRemedy')],
  'no-supported-devices': () => [
    message('problems.noSupportedDevices'),
    message('problems.noSupportedDevicesRemedy'),
  ],
  'library-missing': () => [message('problems.libraryMissing'), message('problems.libraryMissingRemedy')],
  'command-missing': () => [message('problems.commandMissing'), message('problems.commandMissingRemedy')],
  'no-permission': () => [message('problems.noPermission'), message('problems.noPermissionRemedy')],
  'nvml-unknown-error': () => [
    message('problems.nvmlUnknownError'),
    message('problems.nvmlUnknownErrorRemedy'),
  ],
  'nvml-failed': (reason) => [
    message('problems.nvmlFailed', { reason }),
    message('problems.nvmlFailedRemedy'),
  ],
  'wsl-blocked': () => [message('problems.wslBlocked'), message('problems.wslBlockedRemedy')],
  'container-runtime': (reason) => [
    message('problems.containerRuntime', { reason }),
    message('problems.containerRuntimeRemedy'),
  ],
  'request-refused': (reason) => [
    message('problems.requestRefused', { reason }),
    message('problems.requestRefusedRemedy'),
  ],
  'smi-crashed': () => [message('problems.smiCrashed'), message('problems.smiCrashedRemedy')],
  'field-unknown': (field) => [
    message('problems.fieldUnknown', { field }),
    message('problems.fieldUnknownRemedy'),
  ],
  'option-invalid': (reason) => [
    message('problems.optionInvalid', { reason }),
    message('problems.optionInvalidRemedy'),
  ],
  'input-cut': () => [message('problems.inputCut'), message('problems.inputCutRemedy')],
  'input-damaged': (count, line) => [
    message('problems.inputDamaged', { count, line }),
    message('problems.inputDamagedRemedy'),
  ],
  'cards-missing': (attached, listed) => [
    message('problems.cardsMissing', { attached, listed }),
    message('problems.cardsMissingRemedy'),
  ],
  'header-missing': () => [message('problems.headerMissing'), message('problems.headerMissingRemedy')],
  'smi-not-allowed': (path, reason) => [
    message('sensing.smiNotAllowed', { path, reason }),
    message('sensing.smiNotAllowedRemedy', { path }),
  ],
  'smi-silent': (seconds) => [message('sensing.smiSilent', { seconds }), message('sensing.smiSilentRemedy')],
  'smi-stuck': (pid) => [message('sensing.smiStuck', { pid }), message('sensing.smiStuckRemedy')],
  'smi-ended': (status) => [message('sensing.smiEnded', { status }), message('sensing.smiEndedRemedy')],
  'smi-unknown-text': (text) => [
    message('sensing.smiUnknown', { text }),
    message('sensing.smiUnknownRemedy'),
  ],
  'smi-flood': (limit) => [message('sensing.smiFlood', { limit }), message('sensing.smiFloodRemedy')],
  'smi-details-missing': () => [message('sensing.detailsMissing'), message('sensing.detailsMissingRemedy')],
  'outside-namespace': () => [message('sensing.outsideNamespace'), message('sensing.outsideNamespaceRemedy')],
  'sensing-ended': () => [message('sensing.samplerEnded'), message('sensing.samplerEndedRemedy')],
};

const cardTexts: {
  readonly [Code in CardProblemCode]: (card: string, ...values: CardValues[Code]) => Texts;
} = {
  'card-lost': (card) => [message('problems.cardLost', { card }), message('problems.cardLostRemedy')],
  'card-unreachable': (card) => [
    message('problems.cardUnreachable', { card }),
    message('problems.cardUnreachableRemedy'),
  ],
  'card-power-missing': (card) => [
    message('problems.cardPowerMissing', { card }),
    message('problems.cardPowerMissingRemedy'),
  ],
  'card-needs-reset': (card) => [
    message('problems.cardNeedsReset', { card }),
    message('problems.cardNeedsResetRemedy', { card }),
  ],
  'card-error': (card, fields) => [
    message('problems.cardError', { card, fields: fields.join(', ') }),
    message('problems.cardErrorRemedy'),
  ],
  'inforom-corrupted': (card) => [
    message('problems.infoRomCorrupted', { card }),
    message('problems.infoRomCorruptedRemedy'),
  ],
  'unified-memory': (card) => [
    message('problems.unifiedMemory', { card }),
    message('problems.unifiedMemoryRemedy'),
  ],
  'processes-hidden': (card) => [
    message('problems.processesHidden', { card }),
    message('problems.processesHiddenRemedy'),
  ],
  'nvlink-not-in-mig': (card) => [
    message('problems.nvlinkNotInMig', { card }),
    message('problems.nvlinkNotInMigRemedy'),
  ],
  'memory-unattributed': (card, used) => [
    message('sensing.heldByUnknown', { gpuIndex: card, used }),
    message('sensing.heldByUnknownRemedy'),
  ],
};

/** A problem of the machine, or of what nvidia-smi printed as a whole. */
export function machineProblem<Code extends MachineProblemCode>(
  code: Code,
  ...values: MachineValues[Code]
): Problem {
  const [text, remedy] = machineTexts[code](...values);
  return {
    code,
    gpuIndex: null,
    subject: values.length === 0 ? null : values.join(' '),
    message: text,
    remedy,
  };
}

/** A card as people name it: its index, or its bus id where the index is not known. */
export interface CardName {
  readonly index: number | null;
  readonly label: string;
}

export function cardProblem<Code extends CardProblemCode>(
  code: Code,
  card: CardName,
  ...values: CardValues[Code]
): Problem {
  const [text, remedy] = cardTexts[code](card.label, ...values);
  return { code, gpuIndex: card.index, subject: card.label, message: text, remedy };
}

/** The name of a card for a text: `0`, or its bus id, or `?`. */
export function cardName(card: {
  readonly index: number | null;
  readonly pciBusId: string | null;
}): CardName {
  return { index: card.index, label: card.index === null ? (card.pciBusId ?? '?') : String(card.index) };
}

/** Problems without repeats: the same code about the same subject is said once. */
export function uniqueProblems(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ code, gpuIndex, subject }) => {
    const key = `${code}/${gpuIndex}/${subject}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
