/** Who made the accelerator of a text, and what that maker's tools and variables are called. One row each. */
export interface VendorRow {
  readonly name: string;
  /** What a text holds that speaks of this maker's cards. */
  readonly sign: RegExp;
  /** Lists the processes on a card; null where no command does. */
  readonly listProcesses: string | null;
  /** Shows a card's memory again and again. */
  readonly watch: string | null;
  /** Chooses the cards that a program may see. */
  readonly visibleDevices: string | null;
  /** Lists the cards. */
  readonly listCards: string | null;
  /** Settings of PyTorch's allocator. */
  readonly allocatorSettings: string | null;
}

const vendors = [
  {
    // https://rocm.docs.amd.com/projects/rocm_smi_lib, https://rocm.docs.amd.com/en/latest/conceptual/gpu-isolation.html
    name: 'amd',
    sign: /\bROCm\b|\brocm[-_/\d]|\bHIP (?:out of memory|error)|\bhip(?:Error|Malloc)|HSA_STATUS|\bamdgpu\b|\bMI(?:50|100|200|210|250X?|300[AX]?|325X|350X|355X)\b|\bgfx\d{3,4}\b|HIP_VISIBLE_DEVICES|HIPBLAS|MIOpen/,
    listProcesses: 'rocm-smi --showpids',
    watch: 'watch -n 1 rocm-smi --showmeminfo vram',
    visibleDevices: 'HIP_VISIBLE_DEVICES',
    listCards: 'rocm-smi',
    allocatorSettings: 'PYTORCH_HIP_ALLOC_CONF',
  },
  {
    // https://developer.apple.com/documentation/metal/mtldevice/recommendedmaxworkingsetsize
    name: 'apple',
    sign: /\bMPS (?:backend|allocated)|\bmps:0\b|\[METAL\]|kIOGPU|\bmlx\b|Invalid buffer size: [\d.]+ ?Gi?B|Apple M\d/i,
    listProcesses: null,
    watch: null,
    visibleDevices: null,
    listCards: null,
    allocatorSettings: null,
  },
  {
    // https://intel.github.io/xpumanager, https://docs.pytorch.org/docs/stable/notes/get_start_xpu.html
    name: 'intel',
    sign: /\bXPU\b|\bxpu(?::\d|-smi)|\bitex\b|UR_RESULT|ZE_RESULT|\bPI_ERROR_|current platform|Level Zero/,
    listProcesses: 'xpu-smi ps',
    watch: 'xpu-smi dump -d 0 -m 18',
    visibleDevices: 'ZE_AFFINITY_MASK',
    listCards: 'xpu-smi discovery',
    allocatorSettings: null,
  },
  {
    // https://www.hiascend.com/document, npu-smi
    name: 'huawei',
    sign: /\bNPU\b|\bnpu[-_:]|\bAscend\b|\brtMalloc\b|\baclrt\w+|\btorch_npu\b|\bHCCL\b/i,
    listProcesses: 'npu-smi info',
    watch: 'npu-smi info watch',
    visibleDevices: 'ASCEND_RT_VISIBLE_DEVICES',
    listCards: 'npu-smi info -l',
    allocatorSettings: 'PYTORCH_NPU_ALLOC_CONF',
  },
  {
    // https://docs.cloud.google.com/tpu/docs
    name: 'google',
    sign: /\bTPU\b|XLA:TPU|\bhbm\b/,
    listProcesses: 'sudo lsof -w /dev/accel* /dev/vfio/*',
    watch: 'tpu-info',
    visibleDevices: 'TPU_VISIBLE_CHIPS',
    listCards: 'tpu-info',
    allocatorSettings: null,
  },
  {
    // https://docs.mthreads.com
    name: 'moore-threads',
    sign: /\bMUSA\b|\bmthreads\b/,
    listProcesses: 'mthreads-gmi',
    watch: 'watch -n 1 mthreads-gmi',
    visibleDevices: 'MUSA_VISIBLE_DEVICES',
    listCards: 'mthreads-gmi -L',
    allocatorSettings: null,
  },
  {
    name: 'cambricon',
    sign: /\bMLU\b|\bcnmon\b/,
    listProcesses: 'cnmon',
    watch: 'watch -n 1 cnmon',
    visibleDevices: 'MLU_VISIBLE_DEVICES',
    listCards: 'cnmon',
    allocatorSettings: null,
  },
  {
    // https://docs.nvidia.com/deploy/nvidia-smi
    name: 'nvidia',
    sign: /\bCUDA\b|\bcu(?:da|blas|dnn|fft|sparse)|\bnvidia\b|\bNVRM\b|\bNCCL\b|\bGeForce\b/i,
    listProcesses: 'nvidia-smi --query-compute-apps=gpu_uuid,pid,used_memory --format=csv',
    watch: 'nvidia-smi -l 1',
    visibleDevices: 'CUDA_VISIBLE_DEVICES',
    listCards: 'nvidia-smi -L',
    allocatorSettings: 'PYTORCH_CUDA_ALLOC_CONF',
  },
] as const satisfies readonly VendorRow[];

export type Vendor = (typeof vendors)[number]['name'];

export const vendorRows: readonly (VendorRow & { readonly name: Vendor })[] = vendors;
