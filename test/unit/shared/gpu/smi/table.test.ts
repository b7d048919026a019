import { describe, expect, test } from 'vitest';
import { readOutput } from '../../../../../shared/gpu/smi/output';
import { MiB } from '../../../../../shared/units';

const old = `Thu Mar  5 10:11:12 2020       
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 440.33.01    Driver Version: 440.33.01    CUDA Version: 10.2     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  Tesla V100-SXM2...  On   | 00000000:06:00.0 Off |                    2 |
| N/A   34C    P0    43W / 300W |  10447MiB / 32510MiB |     88%   E. Process |
+-------------------------------+----------------------+----------------------+
|   1  Tesla V100-SXM2...  On   | 00000000:07:00.0 Off |                  N/A |
| ERR!  ERR!  ERR!   N/A / ERR! |      0MiB / 32510MiB |    ERR!      Default |
+-------------------------------+----------------------+----------------------+
                                                                               
+-----------------------------------------------------------------------------+
| Processes:                                                       GPU Memory |
|  GPU       PID   Type   Process name                             Usage      |
|=============================================================================|
|    0      1234      C   python                                     10437MiB |
|    0      1235      G   /usr/lib/xorg/Xorg                             9MiB |
+-----------------------------------------------------------------------------+
`;

const wide = (
  rows: string,
  processes: string,
  banner = 'NVIDIA-SMI 580.95.05              Driver Version: 580.95.05      CUDA Version: 13.0     ',
) =>
  `+-----------------------------------------------------------------------------------------+
| ${banner}|
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
${rows}+-----------------------------------------+------------------------+----------------------+

+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
${processes}+-----------------------------------------------------------------------------------------+
`;

const none = '|  No running processes found                                                             |\n';

describe('the table', () => {
  test('of an old driver, with a faulted card', () => {
    const reading = readOutput(old);
    expect(reading).toMatchObject({ format: 'table', driverVersion: '440.33.01', cudaVersion: '10.2' });
    expect(reading.cards).toMatchObject([
      {
        index: 0,
        name: 'Tesla V100-SXM2...',
        pciBusId: '00000000:06:00.0',
        memoryUsedBytes: 10447 * MiB,
        memoryTotalBytes: 32510 * MiB,
        utilizationPercent: 88,
        temperatureC: 34,
        powerWatts: 43,
        powerLimitWatts: 300,
        fanPercent: null,
        eccUncorrectedErrors: 2,
        persistenceMode: true,
        computeMode: 'Exclusive_Process',
      },
      { index: 1, utilizationPercent: null, temperatureC: null, powerWatts: null, powerLimitWatts: null },
    ]);
    expect(reading.processes).toMatchObject([
      { gpuIndex: 0, pid: 1234, type: 'C', name: 'python', usedBytes: 10437 * MiB },
      { gpuIndex: 0, pid: 1235, type: 'G', name: '/usr/lib/xorg/Xorg', usedBytes: 9 * MiB },
    ]);
    expect(reading.problems.map(({ code, gpuIndex }) => [code, gpuIndex])).toEqual([['card-error', 1]]);
  });

  test('of a card of more than 1000 W, whose columns have moved', () => {
    const reading = readOutput(
      wide(
        `|   0  NVIDIA B300 SXM6 AC            On  |   00000000:1B:00.0 Off |                    0 |
| N/A   71C    P0           1099W / 1100W |  270001MiB / 275040MiB |    100%      Default |
|                                         |                        |             Disabled |
`,
        none,
      ),
    );
    expect(reading.cards).toMatchObject([
      { powerWatts: 1099, powerLimitWatts: 1100, memoryUsedBytes: 270001 * MiB },
    ]);
    expect(reading.problems).toEqual([]);
  });

  test('of unified memory', () => {
    const reading = readOutput(
      wide(
        `|   0  NVIDIA GB10                    On  |   0000000F:01:00.0 Off |                  N/A |
| N/A   43C    P0             14W /  N/A  | Not Supported          |      0%      Default |
|                                         |                        |                  N/A |
`,
        '|    0   N/A  N/A           19135      C   python                                19135MiB |\n',
      ),
    );
    expect(reading.cards).toMatchObject([
      { name: 'NVIDIA GB10', memoryTotalBytes: null, powerWatts: 14, powerLimitWatts: null },
    ]);
    expect(reading.processes).toMatchObject([{ pid: 19135, usedBytes: 19135 * MiB }]);
    expect(reading.problems.map(({ code }) => code)).toEqual(['unified-memory']);
  });

  test('of a Jetson board, which has no bus id', () => {
    const reading = readOutput(
      wide(
        `|   0  Orin (nvgpu)                  N/A  | N/A              N/A |                  N/A |
| N/A   N/A  N/A               N/A /  N/A | Not Supported        |     N/A          N/A |
|                                         |                      |                  N/A |
`,
        none,
        'NVIDIA-SMI 540.3.0                Driver Version: N/A          CUDA Version: 12.2     ',
      ),
    );
    expect(reading).toMatchObject({ driverVersion: null, cudaVersion: '12.2' });
    expect(reading.cards).toMatchObject([
      { index: 0, name: 'Orin (nvgpu)', pciBusId: null, memoryTotalBytes: null },
    ]);
  });

  test('with names that hold blanks and bars, and processes that are hidden', () => {
    const reading = readOutput(
      wide(
        `|   0  NVIDIA H200                    On  |   00000000:83:00.0 Off |                   On |
| N/A   36C    P0            295W /  700W |   16959MiB / 143771MiB |     N/A      Default |
|                                         |                        |              Enabled |
`,
        `|    0    2    1           12267      C   a | b  c                              13526MiB |
|    0   N/A  N/A            1720      G                                            173MiB |
|    0   N/A  N/A            1721    C+G   Insufficient Permissions              N/A      |
|    0   N/A  N/A            N/A     N/A   N/A                                   N/A      |
`,
      ),
    );
    expect(reading.processes).toMatchObject([
      { pid: 12267, name: 'a | b  c', usedBytes: 13526 * MiB, gpuInstance: 2, computeInstance: 1 },
      { pid: 1720, type: 'G', name: null, usedBytes: 173 * MiB },
      { pid: 1721, type: 'C+G', name: null, usedBytes: null },
    ]);
  });

  test('pasted into a mail, quoted and indented', () => {
    const quoted = old
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\r\n');
    expect(readOutput(quoted).cards).toHaveLength(2);
    expect(readOutput(quoted).processes).toHaveLength(2);
  });

  test('of a loop the newest whole one counts', () => {
    const second = old.replace('10447MiB', '20000MiB');
    expect(readOutput(old + second).cards[0]?.memoryUsedBytes).toBe(20000 * MiB);
    const cut = readOutput(old + second.slice(0, 900));
    expect(cut.cards[0]?.memoryUsedBytes).toBe(10447 * MiB);
    expect(cut.problems.map(({ code }) => code)).toEqual(['card-error']);
  });

  test('half a table of a crash gives the half', () => {
    const reading = readOutput(`${old.slice(0, old.indexOf('|   1'))}Segmentation fault\n`);
    expect(reading.cards).toHaveLength(1);
    expect(reading.problems.map(({ code }) => code).sort()).toEqual(['input-cut', 'smi-crashed']);
  });
});
