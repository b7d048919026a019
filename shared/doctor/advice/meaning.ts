import type { catalogue } from '../../i18n/en';
import { message, type Message, type MessageKey } from '../../i18n/message';
import type { Format } from '../format';
import type { Context } from '../failures/readFailure';
import { numberDetail } from '../judging/context';

type MeaningKey = `doctorMeaning.${keyof (typeof catalogue)['doctorMeaning'] & string}` & MessageKey;

/** What a message says and what to do about it, by its format, where no cause of the list fits; null where unknown. */
export function meaningOf(context: Context): Message | null {
  const { format, details } = context.failure;
  if (format === 'Xid') return message(meaningOfXid(numberDetail(context.failure, 'xid') ?? 0));
  if (format === 'slurm-cancelled') return message(meaningOfCancel(String(details['reason'] ?? '')));
  const key = byFormat.get(format);
  return key === undefined ? null : message(key);
}

const byFormat: ReadonlyMap<Format, MeaningKey> = new Map<Format, MeaningKey>([
  ['CUDA-broken-kernel', 'doctorMeaning.brokenKernel'],
  ['CUDA-no-device', 'doctorMeaning.noCard'],
  ['NVML-unknown-error', 'doctorMeaning.containerLostCard'],
  ['no-driver', 'doctorMeaning.noDriver'],
  ['port-in-use', 'doctorMeaning.portInUse'],
  ['no-kernel-image', 'doctorMeaning.noKernelImage'],
  ['driver-too-old', 'doctorMeaning.driverTooOld'],
  ['fabric-not-ready', 'doctorMeaning.fabricNotReady'],
  ['cpu-only-build', 'doctorMeaning.cpuOnlyBuild'],
  ['card-not-visible', 'doctorMeaning.cardNotVisible'],
  ['two-devices', 'doctorMeaning.twoDevices'],
  ['types-differ', 'doctorMeaning.typesDiffer'],
  ['shapes-differ', 'doctorMeaning.shapesDiffer'],
  ['state-dict-differs', 'doctorMeaning.stateDictDiffers'],
  ['ddp-unused-parameters', 'doctorMeaning.unusedParameters'],
  ['not-finite', 'doctorMeaning.notFinite'],
  ['scaler-on-fp16-weights', 'doctorMeaning.scalerOnFp16Weights'],
  ['hub-no-access', 'doctorMeaning.hubNoAccess'],
  ['hub-not-reached', 'doctorMeaning.hubNotReached'],
  ['disk-full', 'doctorMeaning.diskFull'],
  ['cuda-after-fork', 'doctorMeaning.cudaAfterFork'],
  ['no-main-guard', 'doctorMeaning.noMainGuard'],
  ['bitsandbytes-without-cuda', 'doctorMeaning.bitsandbytesWithoutCuda'],
  ['library-call-failed', 'doctorMeaning.libraryCallFailed'],
  ['nccl-system-error', 'doctorMeaning.ncclSystemError'],
  ['nccl-unhandled-cuda-error', 'doctorMeaning.ncclCudaFailure'],
  ['nccl-call-refused', 'doctorMeaning.ncclCallRefused'],
  ['static-tls', 'doctorMeaning.staticTls'],
  ['memory-lock-limit', 'doctorMeaning.memoryLockLimit'],
  ['scheduler-time-limit', 'doctorMeaning.timeLimit'],
  ['rendezvous-timeout', 'doctorMeaning.rendezvousTimeout'],
  ['crashed', 'doctorMeaning.crashed'],
  ['interrupted', 'doctorMeaning.interrupted'],
  ['import-failed', 'doctorMeaning.importFailed'],
  ['not-permitted', 'doctorMeaning.notPermitted'],
  ['file-missing', 'doctorMeaning.fileMissing'],
  ['worker-failed', 'doctorMeaning.workerFailed'],
  ['cuda-error', 'doctorMeaning.cudaError'],
  ['python-error', 'doctorMeaning.pythonError'],
  ['class-only', 'doctorMeaning.classOnly'],
  ['memory-line', 'doctorMeaning.memoryLine'],
  ['engine-failed-above', 'doctorMeaning.seeAbove'],
]);

/** NVIDIA's table of Xid errors: https://docs.nvidia.com/deploy/xid-errors/ */
function meaningOfXid(xid: number): MeaningKey {
  return programXids.has(xid) ? 'doctorMeaning.xidOfProgram' : 'doctorMeaning.xidOther';
}

/** What a program does to itself. 13 and 31: a kernel's fault; 32 and 69: a bad command; 43 and 45: what ended with the program. */
const programXids: ReadonlySet<number> = new Set([13, 31, 32, 43, 45, 69]);

function meaningOfCancel(reason: string): MeaningKey {
  switch (reason) {
    case 'TIME':
      return 'doctorMeaning.timeLimit';
    case 'PREEMPTION':
      return 'doctorMeaning.preempted';
    default:
      return 'doctorMeaning.cancelled';
  }
}
