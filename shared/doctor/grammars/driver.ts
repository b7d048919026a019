import type { Grammar } from './grammar';

/** The card, its driver, or the right to use it: nothing that a smaller batch would change. */
const shared = { kind: 'driver', role: 'cause', story: 'driver' } as const;

export const driverGrammars: readonly Grammar[] = [
  {
    ...shared,
    format: 'Xid',
    anchors: ['nvrm: xid'],
    start: 'NVRM: Xid ?\\((?:PCI:)? ?{pciBusId:pci}\\): ?{xid:integer}',
  },
  {
    ...shared,
    format: 'NVRM-no-Xid',
    anchors: ['fallen off the bus'],
    start: '(?:GPU|NVRM|NVIDIA).{0,80}? fallen off the bus',
  },
  {
    ...shared,
    format: 'nvidia-smi-error',
    anchors: ['unable to determine the device handle', 'gpu is lost', 'no devices were found'],
    start:
      '(?:Unable to determine the device handle for (?:gpu|GPU)|GPU is lost\\.? Reboot|ERR!.{0,40}?GPU is lost)',
  },
  {
    ...shared,
    format: 'ECC',
    anchors: ['uncorrectable ecc error', 'cudaerroreccuncorrectable', 'cuda_error_ecc_uncorrectable'],
    start: '(?:uncorrectable ECC error encountered|cudaErrorECCUncorrectable|CUDA_ERROR_ECC_UNCORRECTABLE)',
  },
  {
    ...shared,
    format: 'exclusive-mode',
    anchors: ['busy or unavailable', 'cudaerrordevicesunavailable', 'cudaerrordevicealreadyinuse'],
    start:
      '(?:CUDA-capable device\\(s\\) is/are busy or unavailable|all CUDA-capable devices are busy or unavailable|cudaErrorDevicesUnavailable)',
  },
  {
    ...shared,
    format: 'NVML-mismatch',
    anchors: ['driver/library version mismatch', 'nvml/rm version mismatch'],
    start: '(?:Driver/library|NVML/RM) version mismatch',
  },
  {
    ...shared,
    format: 'NVML-mismatch',
    anchors: ['error 803: ', 'error 804: '],
    start: 'cudaGetDeviceCount\\(\\).{0,200}?Error 80[34]: ',
  },
  {
    ...shared,
    format: 'NVML-unknown-error',
    anchors: ['initialize nvml: unknown error'],
    start: 'Failed to initialize NVML: Unknown Error',
  },
  {
    ...shared,
    format: 'no-driver',
    anchors: ["couldn't communicate with the nvidia driver"],
    start: "couldn't communicate with the NVIDIA driver",
  },
  {
    ...shared,
    format: 'no-driver',
    // As a warning it comes on machines without a card, where the run goes on without.
    anchors: ['found no nvidia driver on your system'],
    start: '(?<!Warning:.{0,60})Found no NVIDIA driver on your system',
  },
  {
    ...shared,
    format: 'CUDA-no-device',
    anchors: ['no cuda gpus are available', 'no cuda-capable device is detected'],
    statement: /No CUDA GPUs are available|no CUDA-capable device is detected/,
    start: '(?:No CUDA GPUs are available|no CUDA-capable device is detected)',
  },
];
