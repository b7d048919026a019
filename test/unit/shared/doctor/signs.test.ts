import { describe, expect, it } from 'vitest';
import { quantitiesOf } from '../../../../shared/doctor/failures/quantities';
import { readGrowth } from '../../../../shared/doctor/failures/signs/growth';
import { readProgress } from '../../../../shared/doctor/failures/signs/progress';
import { readSigns } from '../../../../shared/doctor/failures/signs/signs';
import { surroundings } from '../../../../shared/doctor/lines/context';
import { readLines } from '../../../../shared/doctor/lines/lines';
import { noFacts } from '../../../../shared/doctor/types';
import { GiB, MiB } from '../../../../shared/units';

function around(text: string, line: number) {
  return surroundings(readLines(text, 1), line - 1, line - 1, '');
}

describe('readProgress', () => {
  it.each([
    [' 19%|#9  | 5906/30625 [55:20<3:51:35,  1.78it/s]', { phase: 'training', done: 5906, total: 30625 }],
    [
      'Valid (loss 53.34) epoch 1:   9%|##  | 1/11 [00:01<00:13]',
      { phase: 'evaluation', done: 1, total: 11 },
    ],
    ['0/10 * Epoch (valid):   3% 1/32 [00:01<00:46,  1.50s/it]', { phase: 'evaluation', done: 1, total: 32 }],
    ['Loading checkpoint shards: 100%|##| 2/2 [00:19<00:00]', { phase: 'loading', done: 2, total: 2 }],
    ['INFO: epoch 001:  11125 / 140589 loss=5.185', { phase: 'training', done: 11125, total: 140589 }],
    ['Epoch: [0][511/1736]\t Loss 0.5117', { phase: 'training', done: 511, total: 1736 }],
    [
      'Evaluation  [2060/5000]  eta: 0:02:28  max mem: 17239',
      { phase: 'evaluation', done: 2060, total: 5000 },
    ],
    ['eta: 10:11:02  iter: 1999  total_loss: 2.91', { phase: 'training', done: 1999, total: null }],
    ['217it [12:27,  5.54s/it]', { phase: 'training', done: 217, total: null }],
    ['saved 3/4 of the files [ok]', null],
    ['no numbers here', null],
  ])('%j', (line, progress) => {
    expect(readProgress(around(`${line}\nRuntimeError: boom`, 2))).toEqual(progress);
  });

  it('takes the last one before the failure, and one after it only where there is none before', () => {
    const text = ' 1%| | 1/9 [0<1]\n 2%| | 2/9 [0<1]\nfailure\n 3%| | 3/9 [0<1]';
    expect(readProgress(around(text, 3))?.done).toBe(2);
    expect(readProgress(around('failure\n 3%| | 3/9 [0<1]', 1))?.done).toBe(3);
  });
});

describe('readGrowth', () => {
  const log = (readings: readonly number[]): string =>
    readings.map((mib, step) => `iter: ${step} total_loss: 2.1 max_mem: ${mib}M`).join('\n');

  it('sees memory that rises to the end', () => {
    expect(readGrowth(log([7000, 7400, 7800, 8300, 8700, 9200]))).toEqual({
      readings: 6,
      first: 7000,
      last: 9200,
    });
  });

  it.each([
    ['an allocator that warms up', [7000, 7900, 8200, 8210, 8210, 8210, 8210, 8210, 8210, 8210]],
    ['a level line', [7000, 7000, 7000, 7000, 7000, 7000]],
    ['ups and downs', [7000, 9000, 7000, 9000, 7000, 9000]],
    ['too few readings', [7000, 9000, 12000]],
  ])('does not take %s for growth', (_what, readings) => {
    expect(readGrowth(log(readings))).toBeNull();
  });
});

describe('readSigns', () => {
  it('looks for frames in the traceback of the failure, not in an earlier one', () => {
    const earlier =
      'Traceback (most recent call last):\n  File "a.py", line 1, in state_dict\nValueError: x\n';
    const own = 'Traceback (most recent call last):\n  File "b.py", line 2, in main\n    loss.backward()\n';
    const text = `${earlier}${own}RuntimeError: CUDA error: out of memory`;
    const signs = readSigns(around(text, text.split('\n').length));
    expect(signs.has('backwardFrame')).toBe(true);
    expect(signs.has('saveFrame')).toBe(false);
  });

  it('tells DataParallel from DistributedDataParallel', () => {
    const frame = (code: string) => readSigns(around(`  File "a.py", line 1, in f\n    ${code}\nfailure`, 3));
    expect(frame('model = torch.nn.DataParallel(model)').has('dataParallelFrame')).toBe(true);
    expect(frame('model = DistributedDataParallel(model)').has('dataParallelFrame')).toBe(false);
  });

  it('tells the hint in the message from a setting that was made', () => {
    const hint = 'try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid';
    expect(readSigns(around(`${hint}\nfailure`, 2)).has('allocatorIsExpandable')).toBe(false);
    const made = 'export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True';
    expect(readSigns(around(`${made}\nfailure`, 2)).has('allocatorIsExpandable')).toBe(true);
  });
});

describe('quantitiesOf', () => {
  const facts = {
    ...noFacts,
    capacityBytes: 16 * GiB,
    freeBytes: 512 * MiB,
    allocatedBytes: 13 * GiB,
    unallocatedBytes: GiB,
    reservedBytes: 14 * GiB,
  };

  it('counts what is outside this process with its own size where that is printed', () => {
    const quantities = quantitiesOf({ ...facts, thisProcessBytes: 14.5 * GiB }, true);
    expect(quantities).toMatchObject({
      own: 14.5 * GiB,
      outside: GiB,
      outsideIsBound: false,
      ownListed: null,
    });
  });

  it('finds this process under its number of the host in a container', () => {
    const self = { pid: 562_167, bytes: 14.7 * GiB };
    const other = { pid: 41, bytes: 0.6 * GiB };
    const quantities = quantitiesOf({ ...facts, processes: [other, self] }, true);
    expect(quantities.ownListed).toBe(self);
    expect(quantities.foreign).toEqual([other]);
  });

  it('does not believe a process of 0 bytes whose tensors fill the card', () => {
    expect(quantitiesOf({ ...facts, thisProcessBytes: 0 }, true)).toMatchObject({
      own: null,
      outside: 1.5 * GiB,
    });
  });

  it('knows only an upper bound where the reserve is not printed', () => {
    const cut = { ...facts, unallocatedBytes: null, reservedBytes: null };
    expect(quantitiesOf(cut, true)).toMatchObject({ outside: 2.5 * GiB, outsideIsBound: true });
  });

  it('takes nothing but the card’s size from an earlier line', () => {
    expect(quantitiesOf(facts, false)).toMatchObject({
      capacity: 16 * GiB,
      free: null,
      allocated: null,
      unallocated: null,
      outside: null,
    });
  });
});
