import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import type { Diagnosis, Failure } from '../../../../shared/doctor/types';
import { recordedOutputs } from './recorded';

const oom =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 336.00 MiB. GPU 2 has a total capacity of 79.15 GiB of which 141.25 MiB is free. Process 2109115 has 78.99 GiB memory in use. Of the allocated memory 77.21 GiB is allocated by PyTorch, and 283.51 MiB is reserved by PyTorch but unallocated.';
const watchdog = (rank: number, sequence = 15734): string =>
  `[rank${rank}]:[E ProcessGroupNCCL.cpp:563] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=${sequence}, OpType=ALLREDUCE, NumelIn=220084533, NumelOut=220084533, Timeout(ms)=600000) ran for 600037 milliseconds before timing out.`;

function root({ failures, rootFailure }: Diagnosis): Failure {
  const failure = failures[rootFailure ?? -1];
  if (failure === undefined) throw new Error('no root failure');
  return failure;
}

describe('the root failure of a log of many ranks', () => {
  it('is the rank that ran out of memory, not the ranks that waited for it, wherever they stand', () => {
    const waiting = [3, 5, 7].map((rank) => watchdog(rank));
    for (const lines of [
      [`[rank2]: ${oom}`, ...waiting],
      [...waiting, `[rank2]: ${oom}`],
    ]) {
      const diagnosis = diagnose(lines.join('\n'));
      expect(root(diagnosis)).toMatchObject({ rank: 2, kind: 'oom', role: 'cause' });
      expect(diagnosis.failures).toHaveLength(4);
      const others = diagnosis.failures.filter(({ rank }) => rank !== 2);
      expect(others.map(({ rank }) => rank)).toEqual([3, 5, 7]);
      expect(others.map(({ causes }) => causes[0]?.cause)).toEqual(Array(3).fill('nccl_after_oom'));
    }
  });

  it('is found by NCCL’s own words where PyTorch says nothing', () => {
    const diagnosis = diagnose(
      [
        'node03:3063025:3066048 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer node03-ib<51159>',
        "node03:3063028:3066152 [3] include/alloc.h:178 NCCL WARN Cuda failure 'out of memory'",
        'node03:3063028:3066152 [3] include/alloc.h:185 NCCL WARN Failed to CUDA calloc 6291456 bytes',
      ].join('\n'),
    );
    expect(root(diagnosis)).toMatchObject({ line: 2, facts: { gpuIndex: 3, triedBytes: 6_291_456 } });
    expect(root(diagnosis).causes[0]?.cause).toBe('nccl_buffers_oom');
  });

  it('is decided by time where each failure has one, since ranks write into one log out of order', () => {
    const late = `2026-04-22 21:40:00 ERROR RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 1; 7.79 GiB total capacity; 6.53 GiB already allocated; 1.00 GiB free; 6.60 GiB reserved in total by PyTorch)`;
    const early = `2026-04-22 21:34:20 node:202016:202235 [0] misc/shmutils.cc:132 NCCL WARN Error while creating shared memory segment /dev/shm/nccl-WU88OE (size 9637888), error: No space left on device (28)`;
    expect(root(diagnose(`${late}\n${'step\n'.repeat(60)}${early}`)).kind).toBe('shm');
    expect(root(diagnose(`${early}\n${'step\n'.repeat(60)}${late}`)).kind).toBe('shm');
  });

  it('is the first waiting rank where nobody says more, with a word on what is missing', () => {
    const diagnosis = diagnose([watchdog(0), watchdog(4)].join('\n'));
    expect(root(diagnosis)).toMatchObject({ rank: 0, role: 'consequence' });
    expect(root(diagnosis).causes.map(({ cause }) => cause)).toEqual(['nccl_victim', 'nccl_desync']);
    expect(root(diagnosis).missing.map(({ key }) => key)).toContain('doctorMissing.otherRanks');
  });

  it('is a desync where ranks wait in different collectives', () => {
    expect(root(diagnose([watchdog(0, 96120), watchdog(7, 64088)].join('\n'))).causes[0]?.cause).toBe(
      'nccl_desync',
    );
  });

  it('is not the launcher’s summary', () => {
    const diagnosis = diagnose(
      [
        `[rank1]: ${oom}`,
        'W1129 14:50:00.217000 826 torch/distributed/elastic/multiprocessing/api.py:1012] Sending process 851 closing signal SIGTERM',
        'E1129 14:50:00.282000 826 torch/distributed/elastic/multiprocessing/api.py:986] failed (exitcode: 1) local_rank: 1 (pid: 852) of binary: /opt/venv/bin/python3',
      ].join('\n'),
    );
    expect(diagnosis.failures).toHaveLength(1);
    expect(root(diagnosis).rank).toBe(1);
  });

  it('is the rank that the launcher saw killed, where no rank says a word', () => {
    const diagnosis = diagnose(
      'WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 1167 closing signal SIGTERM\nERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) local_rank: 1 (pid: 1168) of binary: /opt/conda/bin/python',
    );
    expect(root(diagnosis)).toMatchObject({
      rank: 1,
      kind: 'host-oom',
      details: { exitCode: -9, pid: 1168 },
    });
    expect(root(diagnosis).missing.map(({ key }) => key)).toContain('doctorMissing.kernelLog');
  });
});

describe('what PyTorch 2.11 printed on an H200', () => {
  const expected: Readonly<
    Record<string, { format: string; cause: string | null; rank: number | null; line: number }>
  > = {
    one_tensor_too_big: { format: 'P7-expandable', cause: 'single_huge_tensor', rank: null, line: 3 },
    card_full_by_me: { format: 'P7-expandable', cause: 'too_small_card_or_batch', rank: null, line: 3 },
    logits: { format: 'P7-expandable', cause: 'memory_fraction_cap', rank: null, line: 3 },
    expandable: { format: 'P7-expandable', cause: 'memory_fraction_cap', rank: null, line: 3 },
    pinned: { format: 'CUDA-error-nonumbers', cause: 'driver_level_oom', rank: null, line: 3 },
    hidden: { format: 'CUDA-no-device', cause: null, rank: null, line: 5 },
    torchrun_rank1: { format: 'P7-expandable', cause: 'memory_fraction_cap', rank: 1, line: 9 },
  };

  it.each(recordedOutputs())('$name', ({ name, stderr }) => {
    const failure = root(diagnose(stderr));
    expect({
      format: failure.format,
      cause: failure.causes[0]?.cause ?? null,
      rank: failure.rank,
      line: failure.line,
    }).toEqual(expected[name]);
  });
});
