import { describe, expect, test } from 'vitest';
import { readOutput } from '../../../../../shared/gpu/smi/output';
import { MiB } from '../../../../../shared/units';

const codes = (text: string) => readOutput(text).problems.map(({ code }) => code);

describe('-L', () => {
  test('cards and MIG devices, old and new UUIDs', () => {
    const reading = readOutput(
      [
        'GPU 0: A100-SXM4-40GB (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)',
        '  MIG 3g.20gb Device 0: (UUID: MIG-GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77/1/0)',
        '  MIG 1c.3g.20gb  Device  1: (UUID: MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f)',
        'GPU 1: Tesla K80 (S/N: 0324817034562)',
        '',
      ].join('\n'),
    );
    expect(reading.format).toBe('list');
    expect(reading.cards).toMatchObject([
      {
        index: 0,
        name: 'A100-SXM4-40GB',
        uuid: 'GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77',
        mig: [
          { index: 0, profile: '3g.20gb', gpuInstance: 1, computeInstance: 0 },
          {
            index: 1,
            profile: '1c.3g.20gb',
            gpuInstance: null,
            uuid: 'MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f',
          },
        ],
      },
      { index: 1, name: 'Tesla K80' },
    ]);
    expect(reading.problems).toEqual([]);
  });

  test('a lost card in the list is told, the others are read', () => {
    const reading = readOutput(
      'GPU 0: NVIDIA A40 (UUID: GPU-1)\nUnable to determine the device handle for gpu 0000:41:00.0: GPU is lost.  Reboot the system to recover this GPU\nGPU 2: NVIDIA A40 (UUID: GPU-2)\n',
    );
    expect(reading.cards.map(({ index }) => index)).toEqual([0, 2]);
    expect(reading.problems.map(({ code }) => code)).toEqual(['card-lost']);
  });

  test('cut in the middle of a UUID', () => {
    const reading = readOutput('GPU 0: NVIDIA A40 (UUID: GPU-1)\nGPU 1: NVIDIA A40 (UUID: GPU-3ae5');
    expect(reading.cards.map(({ index, name }) => [index, name])).toEqual([
      [0, 'NVIDIA A40'],
      [1, 'NVIDIA A40'],
    ]);
  });
});

describe('nvlink', () => {
  test('speeds, inactive links and remote devices', () => {
    const status = readOutput(
      'GPU 0: NVIDIA A40 (UUID: GPU-1)\n\t Link 0: 14.062 GB/s\n\t Link 1: <inactive>\n',
    );
    expect(status.format).toBe('nvlink');
    expect(status.links).toEqual([
      { from: 'GPU0', to: null, kind: '14.062 GB/s', link: 0 },
      { from: 'GPU0', to: null, kind: 'inactive', link: 1 },
    ]);
    const remote = readOutput(
      'GPU 1: NVIDIA A40 (UUID: GPU-1)\n\t Link 0: Remote Device 00000000:0A:00.0: Link 3\n',
    );
    expect(remote.links).toEqual([{ from: 'GPU1', to: '00000000:0A:00.0', kind: 'NVLink', link: 0 }]);
  });

  test('capabilities name each link once', () => {
    const text =
      'GPU 0: NVIDIA A40 (UUID: GPU-1)\n\t Link 0, P2P is supported: true\n\t Link 0, Access to system memory supported: true\n\t Link 1, P2P is supported: true\n';
    expect(readOutput(text).links.map(({ link }) => link)).toEqual([0, 1]);
  });
});

describe('topo', () => {
  const matrix = [
    '\t\u001b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\u001b[0m',
    'GPU0\t X \tNV12\tPXB\t0-31\t0\t\tN/A',
    'GPU1\tNV12\t X \tSYS\t32-63\t1\t\tN/A',
    'NIC0\tPXB\tSYS\t X \t\t\t\t',
    '',
    'Legend:',
    '',
    '  X    = Self',
    '',
    'NIC Legend:',
    '',
    '  NIC0: mlx5_0',
    '',
  ].join('\n');

  test('each pair once, in the order of the matrix', () => {
    const reading = readOutput(matrix);
    expect(reading.format).toBe('topo');
    expect(reading.links).toEqual([
      { from: 'GPU0', to: 'GPU1', kind: 'NV12', link: null },
      { from: 'GPU0', to: 'NIC0', kind: 'PXB', link: null },
      { from: 'GPU1', to: 'NIC0', kind: 'SYS', link: null },
    ]);
    expect(reading.cards.map(({ index }) => index)).toEqual([0, 1]);
    expect(reading.problems).toEqual([]);
  });

  test('tabs made blanks and escape characters lost', () => {
    const pasted = matrix.replaceAll('\u001b', '').replaceAll('\t', '    ');
    expect(readOutput(pasted).links).toEqual(readOutput(matrix).links);
  });

  test('a row that ends early is told', () => {
    expect(codes('\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tSYS\t0-7\nGPU1\tSY')).toEqual(['input-cut']);
  });
});

describe('pmon and dmon', () => {
  test('an idle card prints dashes', () => {
    const reading = readOutput(
      '# gpu         pid   type     sm    mem    enc    dec    command \n# Idx           #    C/G      %      %      %      %    name \n    0          -     -      -      -      -      -    -              \n    1       4242     C     97     60      -      -    python3\n',
    );
    expect(reading.format).toBe('pmon');
    expect(reading.processes).toMatchObject([{ gpuIndex: 1, pid: 4242, type: 'C', name: 'python3' }]);
    expect(reading.cards.map(({ index }) => index)).toEqual([0, 1]);
    expect(reading.problems).toEqual([]);
  });

  test('columns move with the options: date, time, memory', () => {
    const reading = readOutput(
      '#Date       Time        gpu    fb   bar1   ccpm     sm    mem    pwr  gtemp  mtemp   mclk   pclk \n#YYYYMMDD   HH:MM:SS    Idx     MB     MB     MB      %      %      W      C      C    MHz    MHz \n 20260101   10:00:00      0   1024      5      0     97     60    300     71      -   1593   1410 \n 20260101   10:00:01      0   2048      5      0     99     60    310     72      -   1593   1410 \n',
    );
    expect(reading.format).toBe('dmon');
    expect(reading.cards).toMatchObject([
      {
        index: 0,
        memoryUsedBytes: 2048 * MiB,
        utilizationPercent: 99,
        powerWatts: 310,
        temperatureC: 72,
        memoryClockMHz: 1593,
        smClockMHz: 1410,
      },
    ]);
    expect(reading.problems).toEqual([]);
  });

  test('the old column names', () => {
    const reading = readOutput(
      '# gpu   pwr  temp    sm   mem   enc   dec  mclk  pclk\n# Idx     W     C     %     %     %     %   MHz   MHz\n    0    43    35     0     0     0     0   877   135\n    1     -     -     -     -     -     -     -     -\n',
    );
    expect(reading.cards).toMatchObject([
      { index: 0, powerWatts: 43, temperatureC: 35, smClockMHz: 135 },
      { index: 1, powerWatts: null, temperatureC: null },
    ]);
  });

  test('a tick that breaks off keeps the rest of the tick before', () => {
    const head = '# gpu   pid  type    fb   command\n# Idx     #   C/G    MB   name\n';
    const tick = '    0   101     C    10   a\n    0   102     C    20   b\n    1   103     C    30   c\n';
    const broken = readOutput(`${head}${tick}    0   101     C    11   a`);
    expect(broken.processes.map(({ pid, usedBytes }) => [pid, (usedBytes ?? 0) / MiB])).toEqual([
      [101, 11],
      [102, 20],
      [103, 30],
    ]);
    const ended = readOutput(`${head}${tick}    0   101     C    11   a\n`);
    expect(ended.processes.map(({ pid }) => pid)).toEqual([101]);
  });
});

describe('mig', () => {
  test('GPU instances', () => {
    const reading = readOutput(
      `+-------------------------------------------------------+
| GPU instances:                                        |
| GPU   Name             Profile  Instance   Placement  |
|                          ID       ID       Start:Size |
|=======================================================|
|   0  MIG 1g.10gb         19        9          2:1     |
+-------------------------------------------------------+
|   1  MIG 3g.40gb          9        2          0:4     |
+-------------------------------------------------------+
`,
    );
    expect(reading.format).toBe('mig');
    expect(
      reading.cards.map(({ index, mig }) => [
        index,
        mig[0]?.profile,
        mig[0]?.gpuInstance,
        mig[0]?.computeInstance,
      ]),
    ).toEqual([
      [0, '1g.10gb', 9, null],
      [1, '3g.40gb', 2, null],
    ]);
    expect(reading.problems).toEqual([]);
  });

  test('compute instances', () => {
    const reading = readOutput(
      `+--------------------------------------------------------------------+
| Compute instances:                                                 |
| GPU     GPU       Name             Profile   Instance   Placement  |
|       Instance                       ID        ID       Start:Size |
|         ID                                                         |
|====================================================================|
|   0      2       MIG 1c.3g.71gb       0         1          0:1     |
+--------------------------------------------------------------------+
`,
    );
    expect(reading.cards[0]?.mig).toMatchObject([
      { profile: '1c.3g.71gb', gpuInstance: 2, computeInstance: 1 },
    ]);
  });

  test('both tables together: an instance is told once', () => {
    const reading = readOutput(
      `| GPU instances:                                        |
|   0  MIG 3g.71gb          9        2          0:4     |
|   0  MIG 1g.18gb         19        9          6:1     |
+-------------------------------------------------------+
| Compute instances:                                                 |
|   0      2       MIG 1c.3g.71gb       0         0          0:1     |
|   0      2       MIG 2c.3g.71gb       1         1          1:2     |
+--------------------------------------------------------------------+
`,
    );
    expect(
      reading.cards[0]?.mig.map(({ gpuInstance, computeInstance }) => [gpuInstance, computeInstance]),
    ).toEqual([
      [9, null],
      [2, 0],
      [2, 1],
    ]);
  });

  test('profiles that could be made are no devices', () => {
    const reading = readOutput(
      `+-----------------------------------------------------------------------------+
| GPU instance profiles:                                                      |
| GPU   Name             ID    Instances   Memory     P2P    SM    DEC   ENC  |
|                              Free/Total   GiB              CE    JPEG  OFA  |
|=============================================================================|
|   0  MIG 1g.5gb        19     7/7        4.75       No     14     0     0   |
|                                                             1     0     0   |
+-----------------------------------------------------------------------------+
`,
    );
    expect(reading).toMatchObject({ format: 'mig', problems: [] });
    expect(reading.cards).toMatchObject([{ index: 0, mig: [] }]);
  });

  test.each(['No GPU instances found: Not Found', 'No MIG-enabled devices found.'])('%s', (text) => {
    expect(readOutput(`${text}\n`)).toMatchObject({ format: 'mig', cards: [], problems: [] });
  });
});

describe('--version', () => {
  test('takes the driver, not the library, in WSL', () => {
    const reading = readOutput(
      'NVIDIA-SMI version  : 555.42.03\nNVML version        : 555.42\nDRIVER version      : 555.85\nCUDA Version        : 12.5\n',
    );
    expect([reading.format, reading.driverVersion, reading.cudaVersion]).toEqual([
      'version',
      '555.85',
      '12.5',
    ]);
  });
});

describe('an output of which only the head is left', () => {
  test.each([
    [
      'dmon',
      '# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk\n# Idx      W      C      C      %      %      %      %    MHz    MHz\n',
    ],
    ['table', '| NVIDIA-SMI 590.48.01    Driver Version: 590.48.01    CUDA Version: 13.1 |\n'],
    ['topo', '\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n'],
  ])('%s says that it ends too early', (format, text) => {
    const reading = readOutput(text);
    expect([reading.format, codes(text)]).toEqual([format, ['input-cut']]);
  });

  test('a list of processes may be empty: nothing runs', () => {
    expect(codes('pid, process_name, used_gpu_memory [MiB]\n')).toEqual([]);
    expect(
      codes(
        '# gpu         pid   type     sm    mem    enc    dec    command\n# Idx           #    C/G      %      %      %      %    name\n',
      ),
    ).toEqual([]);
  });
});
