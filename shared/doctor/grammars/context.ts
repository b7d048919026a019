import type { Grammar } from './grammar';

/** Not failures: lines that tell something about the machine, lent to the failures near them. */
const shared = { kind: 'other', role: 'context', story: 'context' } as const;

export const contextGrammars = [
  {
    ...shared,
    format: 'ultralytics-autobatch',
    framework: 'ultralytics',
    vendor: null,
    examples: ['AutoBatch: CUDA:0 (Tesla T4) 14.75G total, 0.25G reserved, 0.12G allocated, 14.38G free'],
    anchors: ['autobatch: cuda'],
    start:
      'AutoBatch: CUDA:{gpuIndex:index} \\([^()]{1,60}\\) {capacityBytes:size} total, {reservedBytes:size} reserved, {allocatedBytes:size} allocated, {freeBytes:size} free',
  },
  {
    ...shared,
    format: 'amdgpu-vram',
    framework: null,
    vendor: 'amd',
    examples: ['[    4.97] amdgpu 0000:c5:00.0: amdgpu: VRAM: 98304M 0x0000008000000000 (98304M used)'],
    anchors: ['amdgpu: vram:'],
    start: 'amdgpu: VRAM: {vramBytes:size}',
  },
  {
    ...shared,
    by: 'line',
    format: 'nvidia-smi-compute-apps',
    framework: null,
    vendor: 'nvidia',
    examples: ['pid, used_memory [MiB]\n4242, 8102 MiB'],
    anchors: ['used_memory', 'used_gpu_memory', 'query-compute-apps'],
    start: '^\\s*{processPid:integer}(?: \\([^()]{1,60}\\))?, {processBytes:size}',
  },
] as const satisfies readonly Grammar[];
