import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import { fixtures } from './recorded';

const folder = path.join(fixtures, 'healthy');
const logs = readdirSync(folder);

describe('healthy logs that speak of memory, kills and OOM', () => {
  it('has at least twenty of them', () => {
    expect(logs.length).toBeGreaterThanOrEqual(20);
  });

  it.each(logs)('finds no failure in %s', (name) => {
    const text = readFileSync(path.join(folder, name), 'utf8');
    const { failures, rootFailure } = diagnose(text);
    expect(failures.map(({ format, line }) => `${format} at line ${line}`)).toEqual([]);
    expect(rootFailure).toBeNull();
  });

  it.each(logs)('finds a failure that follows %s', (name) => {
    const text = readFileSync(path.join(folder, name), 'utf8');
    const failure =
      'RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 1; 7.79 GiB total capacity; 6.53 GiB already allocated; 1.00 GiB free; 6.60 GiB reserved in total by PyTorch)';
    const { failures, rootFailure } = diagnose(`${text}${failure}\n`);
    expect(rootFailure).toBe(0);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatchObject({ format: 'P3-reserved', line: text.split('\n').length });
  });

  it.each([
    'INFO: CUDA out of memory guard installed',
    'except torch.cuda.OutOfMemoryError:',
    '# CUDA error: out of memory happens here',
    'exit code 137 usually means that the kernel ran out of memory',
    'If you get exit code 137, raise the limit.',
    'warning: exceeded memory limit of the cache, evicting 3 entries',
    'He had fallen off the bus and was killed.',
    '"OOMKilled": false,',
    'test_dataloader_worker_killed PASSED',
    'num_oom=0 killed=0',
    '    except MemoryError:',
    'no pod was OOMKilled, no worker killed by SIGKILL',
    'OOMKilled: 0',
    'slurmstepd: Detected 0 oom_kill events in StepId=7.0',
    'planner: tried to allocate 12.00 GiB for the cache and got it',
    'Of the allocated memory 3.20 GiB are buffers',
    'No algorithm worked better than plain SGD',
    'plan: Allocation on device 0',
    'Double Bit ECC errors: 0',
    'unable to warmup the page cache, going on without',
    'if the launcher reports exit code 137, look at the kernel log',
    'cache exceeded memory limit, 4 entries dropped',
    '[1]  + 4101 done       python train.py',
    'WARNING:accelerate.utils.memory:CUDA out of memory. Retrying with batch size 8',
    'UserWarning: CUDA is off; no CUDA GPUs are available on this machine, using the CPU',
  ])('finds no failure in the single line %j', (line) => {
    expect(diagnose(`step 1 loss 2.1\n${line}\nstep 2 loss 2.0\n`).failures).toEqual([]);
  });
});
