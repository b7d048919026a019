import type { Grammar } from './grammar';

/** Not failures: lines that tell something about the machine, lent to the failures near them. */
const shared = { kind: 'other', role: 'context', story: 'context' } as const;

export const contextGrammars: readonly Grammar[] = [
  {
    ...shared,
    format: 'ultralytics-autobatch',
    anchors: ['autobatch: cuda'],
    start:
      'AutoBatch: CUDA:{gpuIndex:index} \\([^()]{1,60}\\) {capacityBytes:size} total, {reservedBytes:size} reserved, {allocatedBytes:size} allocated, {freeBytes:size} free',
  },
  {
    ...shared,
    format: 'amdgpu-vram',
    anchors: ['amdgpu: vram:'],
    start: 'amdgpu: VRAM: {vramBytes:size}',
  },
  {
    ...shared,
    by: 'line',
    format: 'nvidia-smi-compute-apps',
    anchors: ['used_memory', 'used_gpu_memory', 'query-compute-apps'],
    start: '^\\s*{processPid:integer}(?: \\([^()]{1,60}\\))?, {processBytes:size}',
  },
];
