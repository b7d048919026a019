import { describe, expect, test } from 'vitest';
import { readOutput } from '../../../../../shared/gpu/smi/output';
import { readQueryXml } from '../../../../../shared/gpu/smi/queryXml';
import { readQueryText } from '../../../../../shared/gpu/smi/queryText';
import { MiB } from '../../../../../shared/units';

function document(gpu: string, head = ''): string {
  return `<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v13.dtd">\n<nvidia_smi_log>\n${head}<gpu id="00000000:0B:00.0">\n<product_name>NVIDIA H200</product_name>\n${gpu}</gpu>\n</nvidia_smi_log>\n`;
}

const processInfo = (name: string, rest = '') =>
  `<processes><process_info><gpu_instance_id>N/A</gpu_instance_id><compute_instance_id>N/A</compute_instance_id><pid>77</pid><type>C</type><process_name>${name}</process_name><used_memory>12 MiB</used_memory>${rest}</process_info></processes>`;

describe('XML', () => {
  test.each([
    ['power_readings', 'power_draw'],
    ['gpu_power_readings', 'power_draw'],
    ['gpu_power_readings', 'average_power_draw'],
    ['gpu_power_readings', 'instant_power_draw'],
  ])('power in <%s><%s>', (group, name) => {
    const reading = readQueryXml(document(`<${group}><${name}>135.58 W</${name}></${group}>`));
    expect(reading.cards[0]?.powerWatts).toBe(135.58);
  });

  test.each(['power_limit', 'current_power_limit', 'requested_power_limit', 'enforced_power_limit'])(
    'limit in <%s>',
    (name) => {
      const reading = readQueryXml(
        document(`<gpu_power_readings><${name}>700.00 W</${name}></gpu_power_readings>`),
      );
      expect(reading.cards[0]?.powerLimitWatts).toBe(700);
    },
  );

  test.each([
    ['old', '<double_bit><device_memory>1</device_memory><total>2</total></double_bit>', 2],
    ['Volta', '<sram_uncorrectable>1</sram_uncorrectable><dram_uncorrectable>2</dram_uncorrectable>', 3],
    [
      'Hopper',
      '<sram_uncorrectable_parity>1</sram_uncorrectable_parity><sram_uncorrectable_secded>4</sram_uncorrectable_secded><dram_uncorrectable>2</dram_uncorrectable>',
      7,
    ],
    ['off', '<sram_uncorrectable>N/A</sram_uncorrectable><dram_uncorrectable>N/A</dram_uncorrectable>', null],
  ])('uncorrected ECC errors, %s scheme', (_scheme, volatile, count) => {
    const reading = readQueryXml(document(`<ecc_errors><volatile>${volatile}</volatile></ecc_errors>`));
    expect(reading.cards[0]?.eccUncorrectedErrors).toBe(count);
  });

  test.each(['clocks_event_reason', 'clocks_throttle_reason'])('reasons in <%ss>', (name) => {
    const reading = readQueryXml(
      document(
        `<${name}s><${name}_gpu_idle>Active</${name}_gpu_idle><${name}_sw_power_cap>Active</${name}_sw_power_cap><${name}_hw_slowdown>Not Active</${name}_hw_slowdown></${name}s>`,
      ),
    );
    expect(reading.cards[0]?.throttleReasons).toEqual(['sw_power_cap']);
  });

  test.each([
    'python train.py --if a<b && c > d',
    'node -e "<gpu>"',
    'a </process> b',
    '<nvidia_smi_log>',
    '&unknown; &#x; &',
  ])('a process name with markup: %s', (name) => {
    const reading = readQueryXml(document(processInfo(name)));
    expect(reading.processes).toMatchObject([{ gpuIndex: 0, pid: 77, type: 'C', name, usedBytes: 12 * MiB }]);
    expect(reading.problems).toEqual([]);
  });

  test('escaped names are unescaped', () => {
    expect(
      readQueryXml(document(processInfo('a &amp;&amp; &lt;b&gt; &quot;c&quot; &#65;'))).processes[0]?.name,
    ).toBe('a && <b> "c" A');
  });

  test('clocks closed out of order do not disturb the rest', () => {
    const reading = readQueryXml(
      document(
        `<supported_clocks><supported_mem_clock><value>1 MHz</value></supported_clocks></supported_mem_clock><temperature><gpu_temp>41 C</gpu_temp></temperature>${processInfo('python')}`,
      ),
    );
    expect(reading.cards[0]?.temperatureC).toBe(41);
    expect(reading.processes).toHaveLength(1);
    expect(reading.problems).toEqual([]);
  });

  test('versions under the names of driver 610', () => {
    const reading = readQueryXml(
      document(
        '',
        '<driver_version>Deprecated</driver_version><kmd_version>610.57.04</kmd_version><cuda_umd_version>13.3</cuda_umd_version>',
      ),
    );
    expect([reading.driverVersion, reading.cudaVersion]).toEqual(['610.57.04', '13.3']);
  });

  test('a card that needs a reset', () => {
    const gpu =
      '<fb_memory_usage><total>24576 MiB</total><used>0 MiB</used><free>24576 MiB</free></fb_memory_usage><utilization><gpu_util>GPU requires reset</gpu_util></utilization>';
    expect(readQueryXml(document(gpu)).problems.map(({ code, gpuIndex }) => [code, gpuIndex])).toEqual([
      ['card-needs-reset', 0],
    ]);
    const status = '<gpu_reset_status><reset_required>Yes</reset_required></gpu_reset_status>';
    expect(readQueryXml(document(status)).problems.map(({ code }) => code)).toEqual(['card-needs-reset']);
  });

  test('unified memory', () => {
    const gpu = '<fb_memory_usage><total>N/A</total><used>N/A</used><free>N/A</free></fb_memory_usage>';
    const reading = readQueryXml(document(gpu));
    expect(reading.cards[0]?.memoryTotalBytes).toBeNull();
    expect(reading.problems.map(({ code }) => code)).toEqual(['unified-memory']);
  });

  test('of several documents the newest whole one counts', () => {
    const at = (temperature: number) =>
      document(`<temperature><gpu_temp>${temperature} C</gpu_temp></temperature>`);
    expect(readQueryXml(at(40) + at(41)).cards.map(({ temperatureC }) => temperatureC)).toEqual([41]);
    const cut = readQueryXml(at(40) + at(41).slice(0, -40));
    expect(cut.cards.map(({ temperatureC }) => temperatureC)).toEqual([40]);
    expect(cut.problems).toEqual([]);
  });

  test('cut after the memory: what was read, and a problem', () => {
    const text = document(
      '<fb_memory_usage><total>100 MiB</total><used>50 MiB</used></fb_memory_usage><utilization><gpu_util>4 %</gpu_util></utilization>',
    );
    const reading = readOutput(text.slice(0, text.indexOf('<gpu_util>')));
    expect(reading.cards[0]).toMatchObject({
      memoryTotalBytes: 100 * MiB,
      memoryUsedBytes: 50 * MiB,
      utilizationPercent: null,
    });
    expect(reading.problems.map(({ code }) => code)).toEqual(['input-cut']);
  });

  test('processes that the driver hides', () => {
    const reading = readQueryXml(document('<processes>Insufficient Permissions</processes>'));
    expect(reading.problems.map(({ code }) => code)).toEqual(['processes-hidden']);
  });
});

const textHead = `
==============NVSMI LOG==============

Timestamp                                 : Fri Jun 21 02:03:08 2024
Driver Version                            : 440.33.01
CUDA Version                              : 10.2

Attached GPUs                             : 1
GPU 00000000:0B:00.0
    Product Name                          : Tesla V100-SXM2-32GB
`;

describe('text', () => {
  test('an old driver: no instance ids, one power section, double-bit errors', () => {
    const reading = readQueryText(`${textHead}    GPU UUID                              : GPU-1
    Fan Speed                             : N/A
    Clocks Throttle Reasons
        Idle                              : Not Active
        SW Power Cap                      : Active
    FB Memory Usage
        Total                             : 32510 MiB
        Used                              : 10447 MiB
        Free                              : 22063 MiB
    Compute Mode                          : Exclusive_Process
    Utilization
        Gpu                               : 88 %
        Memory                            : 40 %
    Ecc Mode
        Current                           : Enabled
    ECC Errors
        Volatile
            Single Bit            
                Device Memory             : 0
                Total                     : 5
            Double Bit            
                Device Memory             : 1
                Total                     : 1
    Temperature
        GPU Current Temp                  : 61 C
    Power Readings
        Power Management                  : Supported
        Power Draw                        : 200.12 W
        Power Limit                       : 300.00 W
        Enforced Power Limit              : 300.00 W
    Clocks
        Graphics                          : 1530 MHz
        SM                                : 1530 MHz
        Memory                            : 877 MHz
    Processes
        Process ID                        : 1234
            Type                          : C
            Name                          : python train.py --key : value
            Used GPU Memory               : 10437 MiB
        Process ID                        : 1240
            Type                          : G
            Name                          : Xorg
            Used GPU Memory               : 10 MiB
`);
    expect(reading).toMatchObject({ driverVersion: '440.33.01', cudaVersion: '10.2', problems: [] });
    expect(reading.cards).toMatchObject([
      {
        index: 0,
        uuid: 'GPU-1',
        name: 'Tesla V100-SXM2-32GB',
        pciBusId: '00000000:0B:00.0',
        memoryTotalBytes: 32510 * MiB,
        memoryReservedBytes: null,
        utilizationPercent: 88,
        temperatureC: 61,
        powerWatts: 200.12,
        powerLimitWatts: 300,
        smClockMHz: 1530,
        memoryClockMHz: 877,
        throttleReasons: ['sw_power_cap'],
        eccUncorrectedErrors: 1,
        computeMode: 'Exclusive_Process',
      },
    ]);
    expect(reading.processes).toMatchObject([
      { gpuIndex: 0, pid: 1234, type: 'C', name: 'python train.py --key : value', usedBytes: 10437 * MiB },
      { gpuIndex: 0, pid: 1240, type: 'G', name: 'Xorg', usedBytes: 10 * MiB },
    ]);
  });

  test('a filtered log (-q -d MEMORY) is whole', () => {
    const reading = readOutput(
      `${textHead.replace(/^ {4}Product Name.*\n/m, '')}    FB Memory Usage
        Total                             : 32510 MiB
        Used                              : 1 MiB
        Free                              : 32509 MiB
`,
    );
    expect(reading.format).toBe('query-text');
    expect(reading.cards).toMatchObject([{ memoryTotalBytes: 32510 * MiB, memoryUsedBytes: 1 * MiB }]);
    expect(reading.problems).toEqual([]);
  });

  test('quoted in a mail it is still read', () => {
    const quoted =
      `${textHead}    FB Memory Usage\n        Total                             : 5 MiB\n    Processes                             : None\n`
        .split('\n')
        .map((line) => `    ${line}`)
        .join('\n');
    expect(readOutput(quoted).cards).toMatchObject([
      { name: 'Tesla V100-SXM2-32GB', memoryTotalBytes: 5 * MiB },
    ]);
  });

  test('cut before the processes is told', () => {
    expect(
      readOutput(`${textHead}    FB Memory Usage\n        Total          `).problems.map(({ code }) => code),
    ).toEqual(['input-cut']);
  });
});
