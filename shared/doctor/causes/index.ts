import { tooSmallCardOrBatch } from './tooSmallCardOrBatch';
import { batchTooLarge } from './batchTooLarge';
import { fragmentation } from './fragmentation';
import { singleHugeTensor } from './singleHugeTensor';
import { attentionMathFallback } from './attentionMathFallback';
import { logitsPeak } from './logitsPeak';
import { customLossExtraLogits } from './customLossExtraLogits';
import { longSampleSpike } from './longSampleSpike';
import { denseSampleSpike } from './denseSampleSpike';
import { optimizerStateFirstStep } from './optimizerStateFirstStep';
import { optimizerStepPeak } from './optimizerStepPeak';
import { replicatedModelPerRank } from './replicatedModelPerRank';
import { resumeDoubleState } from './resumeDoubleState';
import { checkpointSaveGather } from './checkpointSaveGather';
import { warmupPeak } from './warmupPeak';
import { contextOverhead } from './contextOverhead';
import { evalWithoutNoGrad } from './evalWithoutNoGrad';
import { evalPeak } from './evalPeak';
import { evalLogitsAccumulation } from './evalLogitsAccumulation';
import { leakGraphRetained } from './leakGraphRetained';
import { otherProcess } from './otherProcess';
import { leftoverProcess } from './leftoverProcess';
import { leftoverProcessUnkillable } from './leftoverProcessUnkillable';
import { siblingProcessSameJob } from './siblingProcessSameJob';
import { allRanksOnGpu0 } from './allRanksOnGpu0';
import { strayContextGpu0 } from './strayContextGpu0';
import { ipcMappingHolder } from './ipcMappingHolder';
import { desktopHoldsVram } from './desktopHoldsVram';
import { dataparallelGather } from './dataparallelGather';
import { freeGtRequest } from './freeGtRequest';
import { hostRamMasked } from './hostRamMasked';
import { windowsCommitLimit } from './windowsCommitLimit';
import { perAllocationLimit } from './perAllocationLimit';
import { capacityMisreported } from './capacityMisreported';
import { memoryFractionCap } from './memoryFractionCap';
import { wddmSysmemFallback } from './wddmSysmemFallback';
import { mpsOtherAllocations } from './mpsOtherAllocations';
import { driverLevelOom } from './driverLevelOom';
import { pinnedMemory } from './pinnedMemory';
import { bnbManagedMemory } from './bnbManagedMemory';
import { maskedCublas } from './maskedCublas';
import { maskedCudnn } from './maskedCudnn';
import { maskedNvmlMig } from './maskedNvmlMig';
import { wrongDevice } from './wrongDevice';
import { hostRam } from './hostRam';
import { shmSmall } from './shmSmall';
import { busErrorMmap } from './busErrorMmap';
import { fdLimit } from './fdLimit';
import { tritonSmem } from './tritonSmem';
import { ncclBuffersOom } from './ncclBuffersOom';
import { ncclVictim } from './ncclVictim';
import { ncclDesync } from './ncclDesync';
import { ncclAfterOom } from './ncclAfterOom';
import { garbageSizeAfterTimeout } from './garbageSizeAfterTimeout';
import { exclusiveMode } from './exclusiveMode';
import { xid79 } from './xid79';
import { gpuLost } from './gpuLost';
import { ecc } from './ecc';
import { driverMismatch } from './driverMismatch';
import type { CauseDefinition } from './definition';

/** Every cause that the doctor can name, a file each. A new one is its file, a line here, and its sentence in each language. */
const list = [
  tooSmallCardOrBatch,
  batchTooLarge,
  fragmentation,
  singleHugeTensor,
  attentionMathFallback,
  logitsPeak,
  customLossExtraLogits,
  longSampleSpike,
  denseSampleSpike,
  optimizerStateFirstStep,
  optimizerStepPeak,
  replicatedModelPerRank,
  resumeDoubleState,
  checkpointSaveGather,
  warmupPeak,
  contextOverhead,
  evalWithoutNoGrad,
  evalPeak,
  evalLogitsAccumulation,
  leakGraphRetained,
  otherProcess,
  leftoverProcess,
  leftoverProcessUnkillable,
  siblingProcessSameJob,
  allRanksOnGpu0,
  strayContextGpu0,
  ipcMappingHolder,
  desktopHoldsVram,
  dataparallelGather,
  freeGtRequest,
  hostRamMasked,
  windowsCommitLimit,
  perAllocationLimit,
  capacityMisreported,
  memoryFractionCap,
  wddmSysmemFallback,
  mpsOtherAllocations,
  driverLevelOom,
  pinnedMemory,
  bnbManagedMemory,
  maskedCublas,
  maskedCudnn,
  maskedNvmlMig,
  wrongDevice,
  hostRam,
  shmSmall,
  busErrorMmap,
  fdLimit,
  tritonSmem,
  ncclBuffersOom,
  ncclVictim,
  ncclDesync,
  ncclAfterOom,
  garbageSizeAfterTimeout,
  exclusiveMode,
  xid79,
  gpuLost,
  ecc,
  driverMismatch,
] as const;

/** The name of a cause, as the command prints it. */
export type Cause = (typeof list)[number]['name'];

export const causes: readonly (CauseDefinition & { readonly name: Cause })[] = list;
