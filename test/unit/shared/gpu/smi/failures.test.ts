import { describe, expect, test } from 'vitest';
import { readFailure, readFailures } from '../../../../../shared/gpu/smi/failures';
import { readOutput } from '../../../../../shared/gpu/smi/output';
import { catalogue as chinese } from '../../../../../shared/i18n/zh-CN';
import { translate } from '../../../../../shared/i18n/translate';

const texts: readonly (readonly [code: string, text: string])[] = [
  [
    'driver-mismatch',
    'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.178',
  ],
  ['driver-mismatch', 'Failed to initialize NVML: RM has detected an NVML/RM version mismatch.'],
  [
    'driver-not-loaded',
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
  ],
  [
    'driver-not-loaded',
    'NVIDIA-SMI has failed because it couldn’t communicate with the NVIDIA driver. Make sure that the latest\nNVIDIA driver is installed and running. This can also be happening if non-NVIDIA GPU is running as primary display, and NVIDIA GPU is in WDDM mode.',
  ],
  ['driver-not-loaded', 'Failed to initialize NVML: Driver Not Loaded'],
  ['no-devices', 'No devices were found'],
  ['no-supported-devices', 'Failed to initialize NVML: No supported GPUs were found\nUnbound devices: 1'],
  ['card-unreachable', 'Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error'],
  ['card-unreachable', 'Unable to determine the device handle for GPU0: 0000:23:00.0: Unknown Error'],
  [
    'card-lost',
    'Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU',
  ],
  [
    'card-lost',
    'Unable to determine the device handle for\nGPU0000:07:00.0: GPU is lost.  Reboot the system to recover\nthis GPU',
  ],
  [
    'card-power-missing',
    'Unable to determine the device handle for GPU 0000:01:00.0: Insufficient External Power',
  ],
  ['card-needs-reset', 'Unable to determine the device handle for GPU 0000:01:00.0: GPU requires reset'],
  ['nvml-unknown-error', 'Failed to initialize NVML: Unknown Error'],
  ['no-permission', 'Failed to initialize NVML: Insufficient Permissions'],
  [
    'wsl-blocked',
    'Failed to initialize NVML: GPU access blocked by the operating system\nFailed to properly shut down NVML: GPU access blocked by the operating system',
  ],
  ['nvml-failed', 'Failed to initialize NVML: N/A\nFailed to properly shut down NVML: N/A'],
  [
    'library-missing',
    "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA Display Driver is properly installed and present in your system.",
  ],
  ['library-missing', "NVIDIA-SMI couldn't find nvml.dll library in your system."],
  ['field-unknown', 'Field "temperature.memory" is not a valid field to query.\n'],
  ['field-unknown', 'Field “clocks_event_reasons.active” is not a valid field to query.'],
  [
    'option-invalid',
    'Invalid combination of input arguments: --display/-d flags can not be combined with -x/--xml-format flags.',
  ],
  ['option-invalid', "Option --querygpu is not recognized. Please run 'nvidia-smi -h'."],
  ['option-invalid', "ERROR: Option -m is missing its value. Please run 'nvidia-smi -h' for help."],
  ['command-missing', 'bash: nvidia-smi: command not found'],
  ['command-missing', 'zsh: command not found: nvidia-smi'],
  ['command-missing', 'sh: 1: nvidia-smi: not found'],
  [
    'command-missing',
    "'nvidia-smi' is not recognized as an internal or external command,\noperable program or batch file.",
  ],
  [
    'command-missing',
    "nvidia-smi : The term 'nvidia-smi' is not recognized as the name of a cmdlet, function",
  ],
  ['command-missing', 'exec: "nvidia-smi": executable file not found in $PATH: unknown'],
  [
    'command-missing',
    "Command 'nvidia-smi' not found, but can be installed with:\nsudo apt install nvidia-utils-535",
  ],
  ['no-permission', 'bash: /usr/bin/nvidia-smi: Permission denied'],
  [
    'container-runtime',
    'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].',
  ],
  [
    'driver-not-loaded',
    'nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown.',
  ],
  [
    'driver-mismatch',
    'nvidia-container-cli: initialization error: nvml error: driver/library version mismatch',
  ],
  ['request-refused', 'Unable to enable MIG Mode for GPU 00000000:65:00.0: In use by another client'],
  ['request-refused', 'Failed to create GPU instances: Insufficient Resources'],
  ['smi-crashed', 'Segmentation fault (core dumped)'],
];

describe('failure texts', () => {
  test.each(texts)('%s: %s', (code, text) => {
    const reading = readOutput(text);
    expect(reading.format).toBe('error');
    expect(reading.problems.map((problem) => problem.code)).toEqual([code]);
  });

  test.each(texts)('%s has a message and a remedy in both languages: %s', (_code, text) => {
    for (const { message, remedy } of readFailures(text))
      for (const locale of ['en', 'zh-CN'] as const)
        for (const part of [message, remedy])
          expect(translate(locale, part)).toMatch(/^(?!problems\.)[^{}]{8,}$/);
  });

  test('the library version below a mismatch is told', () => {
    const [problem] = readFailures(
      'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.178',
    );
    expect(problem && translate('en', problem.message)).toBe(
      'The NVIDIA driver was updated to 580.178, but the kernel still runs the old module.',
    );
  });

  test('a card is named by bus id, or by index where the driver prints it', () => {
    const [byBus] = readFailures('Unable to determine the device handle for GPU 0000:0b:00.0: Unknown Error');
    const [byIndex] = readFailures(
      'Unable to determine the device handle for GPU3: 0000:23:00.0: Unknown Error',
    );
    expect([byBus?.gpuIndex, byBus?.message.values]).toEqual([null, { card: '00000000:0B:00.0' }]);
    expect([byIndex?.gpuIndex, byIndex?.message.values]).toEqual([3, { card: '3' }]);
  });

  test('a warning after data leaves the data and is told', () => {
    const reading = readOutput(
      'index, name, memory.total [MiB]\n0, Tesla V100-SXM2-32GB, 32510 MiB\nWARNING: infoROM is corrupted at gpu 0000:B3:00.0\n',
    );
    expect(reading.cards.map(({ name }) => name)).toEqual(['Tesla V100-SXM2-32GB']);
    expect(reading.problems.map(({ code }) => code)).toEqual(['inforom-corrupted']);
  });

  test('ordinary lines tell no failure', () => {
    const lines = [
      'Training started on 2 devices',
      'loss 1.23 gpu 0 unable',
      'epoch 3: failed to improve',
      'torch.OutOfMemoryError: CUDA out of memory.',
      'No devices were found in the list of 3 devices that we had',
      'x'.repeat(2000),
    ];
    expect(lines.flatMap((line) => readFailure(line) ?? [])).toEqual([]);
  });

  test('a crash in a log of another program is not nvidia-smi’s', () => {
    const log = Array.from({ length: 40 }, (_, step) => `step ${step} loss 0.1`).join('\n');
    expect(readOutput(`${log}\nSegmentation fault (core dumped)\n`).format).toBe('unknown');
  });

  test('the Chinese catalogue says everything in Chinese', () => {
    for (const entry of Object.values(chinese.problems))
      expect(typeof entry === 'string' ? entry : entry.other).toMatch(/[\u4e00-\u9fff]/);
  });
});
