import type { Grammar } from './grammar';

/** The card, its driver, or the right to use it: nothing that a smaller batch would change. */
const shared = { kind: 'driver', role: 'cause', story: 'driver' } as const;

export const driverGrammars = [
  {
    ...shared,
    format: 'Xid',
    framework: null,
    vendor: 'nvidia',
    examples: ["NVRM: Xid (PCI:0000:03:00): 79, pid='<unknow"],
    anchors: ['nvrm: xid'],
    start: 'NVRM: Xid ?\\((?:PCI:)? ?{pciBusId:pci}\\): ?{xid:integer}',
  },
  {
    ...shared,
    format: 'NVRM-no-Xid',
    framework: null,
    vendor: 'nvidia',
    examples: [
      'NVRM: The NVIDIA GPU 0000:b3:00.0\n               NVRM: (PCI ID: 10de:26b5) installed in this system has\n               NVRM: fallen off the bus and is not responding to commands.',
    ],
    anchors: ['fallen off the bus'],
    start: '(?:GPU|NVRM|NVIDIA).{0,80}? fallen off the bus',
  },
  {
    ...shared,
    format: 'nvidia-smi-error',
    framework: null,
    vendor: 'nvidia',
    examples: ['ERR! ERR! ERR!    ERR! / ERR! | GPU is lost          |    ERR!'],
    anchors: ['unable to determine the device handle', 'gpu is lost', 'no devices were found'],
    start:
      '(?:Unable to determine the device handle for (?:gpu|GPU)|GPU is lost\\.? Reboot|ERR!.{0,40}?GPU is lost)',
  },
  {
    ...shared,
    format: 'ECC',
    framework: null,
    vendor: 'nvidia',
    examples: ['RuntimeError: CUDA error: uncorrectable ECC error encountered'],
    anchors: ['uncorrectable ecc error', 'cudaerroreccuncorrectable', 'cuda_error_ecc_uncorrectable'],
    start: '(?:uncorrectable ECC error encountered|cudaErrorECCUncorrectable|CUDA_ERROR_ECC_UNCORRECTABLE)',
  },
  {
    ...shared,
    format: 'exclusive-mode',
    framework: null,
    vendor: 'nvidia',
    examples: ['RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable'],
    anchors: ['busy or unavailable', 'cudaerrordevicesunavailable', 'cudaerrordevicealreadyinuse'],
    start:
      '(?:CUDA-capable device\\(s\\) is/are busy or unavailable|all CUDA-capable devices are busy or unavailable|cudaErrorDevicesUnavailable)',
  },
  {
    ...shared,
    format: 'NVML-mismatch',
    framework: null,
    vendor: 'nvidia',
    examples: ['Failed to initialize NVML: Driver/library version mismatch'],
    anchors: ['driver/library version mismatch', 'nvml/rm version mismatch'],
    start: '(?:Driver/library|NVML/RM) version mismatch',
  },
  {
    ...shared,
    format: 'NVML-mismatch',
    framework: null,
    vendor: 'nvidia',
    examples: [
      'RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 803: system has unsupported display driver / cuda driver combination',
    ],
    anchors: ['error 803: ', 'error 804: '],
    start: 'cudaGetDeviceCount\\(\\).{0,200}?Error 80[34]: ',
  },
  {
    ...shared,
    format: 'NVML-unknown-error',
    framework: null,
    vendor: 'nvidia',
    examples: ['Failed to initialize NVML: Unknown Error'],
    anchors: ['initialize nvml: unknown error'],
    start: 'Failed to initialize NVML: Unknown Error',
  },
  {
    ...shared,
    format: 'no-driver',
    framework: null,
    vendor: null,
    examples: ["NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."],
    anchors: ["couldn't communicate with the nvidia driver"],
    start: "couldn't communicate with the NVIDIA driver",
  },
  {
    ...shared,
    format: 'no-driver',
    framework: null,
    vendor: null,
    examples: [
      'RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU',
    ],
    // As a warning it comes on machines without a card, where the run goes on without.
    anchors: ['found no nvidia driver on your system'],
    start: '(?<!Warning:.{0,60})Found no NVIDIA driver on your system',
  },
  {
    ...shared,
    format: 'CUDA-no-device',
    framework: null,
    vendor: 'nvidia',
    examples: ['RuntimeError: No CUDA GPUs are available'],
    anchors: ['no cuda gpus are available', 'no cuda-capable device is detected'],
    statement: /No CUDA GPUs are available|no CUDA-capable device is detected/,
    start: '(?:No CUDA GPUs are available|no CUDA-capable device is detected)',
  },
] as const satisfies readonly Grammar[];
