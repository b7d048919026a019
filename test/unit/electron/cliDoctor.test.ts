import { describe, expect, test } from 'vitest';
import { doctor } from '../../../electron/commands/doctor';
import { call } from './cliSupport';

const oom =
  'RuntimeError: CUDA out of memory. Tried to allocate 1.86 GiB (GPU 0; 31.72 GiB total capacity; 24.58 GiB already allocated; 1.28 GiB free; 5.08 GiB cached)';
const waiting =
  '[rank5]:[E ProcessGroupNCCL.cpp:563] [Rank 5] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=15734, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600037 milliseconds before timing out.';

const run = (text: string, ...words: string[]) =>
  call([doctor], ['doctor', 'f', ...words], { files: { f: text } });

describe('headroom doctor', () => {
  test('--json prints one value with the keys of the contract and exits 1 where there is a failure', async () => {
    const { code, stdout, stderr } = await run(`ready\n[rank2]: ${oom}\n`, '--json');
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({
      rootFailure: 0,
      failures: [
        {
          kind: 'oom',
          format: 'P2-cached',
          line: 2,
          rank: 2,
          facts: {
            gpuIndex: 0,
            triedBytes: 1_997_159_793,
            capacityBytes: 34_059_090_657,
            freeBytes: 1_374_389_535,
            allocatedBytes: 26_392_574_034,
            reservedBytes: 31_847_182_500,
            unallocatedBytes: 5_454_608_466,
            allowedBytes: null,
            privatePoolBytes: null,
            thisProcessBytes: null,
            processes: [],
          },
          causes: [
            {
              cause: 'fragmentation',
              confidence: 0.84,
              evidence: [
                '5.1 GiB is reserved and not in use, enough for the 1.9 GiB that was asked for, but not in one piece.',
                '1.9 GiB was asked for while 1.3 GiB was free.',
              ],
              fixes: expect.arrayContaining([
                'Keep the allocator from splitting large blocks; set it before the program starts: PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:256',
              ]),
            },
            { cause: 'too_small_card_or_batch' },
          ],
          notHelpful: [],
          missing: [expect.stringMatching(/^Which step/)],
        },
      ],
    });
  });

  test('a text without a failure is answered so, with exit 0', async () => {
    const json = await run('all good\n', '--json');
    expect([json.code, JSON.parse(json.stdout)]).toEqual([0, { failures: [], rootFailure: null, lines: 1 }]);
    const words = await run('all good\n');
    expect([words.code, words.stdout]).toEqual([
      0,
      'No failure found. Lines read: 1.\nIf the job did fail, its last lines tell most.\n',
    ]);
  });

  test('what is no text is bad use', async () => {
    const packed = '\u001f\ufffd\b\u0000\u0003'.repeat(100);
    const { code, stdout, stderr } = await run(packed, '--json');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe('headroom doctor: f: not a text; expected a log, unpacked\n');
  });

  test('an empty text is called empty', async () => {
    const { code, stdout } = await call([doctor], ['doctor', 'f'], { files: { f: '' } });
    expect([code, stdout]).toEqual([0, 'The text is empty.\n']);
  });

  test('words: the first failure in full, the others in a line each', async () => {
    const { code, stdout } = await run(`${waiting}\n[rank2]: ${oom}\n`);
    expect(code).toBe(1);
    const lines = stdout.split('\n');
    expect(lines.slice(0, 4)).toEqual([
      'Enough memory is reserved but unused, and no single piece of it is as large as the request (GPU 0, 1.9 GiB asked for, 1.3 GiB free of 31.7 GiB, 5.1 GiB reserved but unused).',
      'Do first: Keep the allocator from splitting large blocks; set it before the program starts: PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:256',
      '',
      'Line 2, rank 2',
    ]);
    expect(lines).toContain('  Asked for             1.9 GiB');
    expect(lines).toContain('What to change');
    expect(lines).toContain('Failures found: 2. Lines read: 2.');
    expect(lines).toContain(
      'Line 1, rank 5: One rank ran out of memory; the NCCL messages follow from that.',
    );
    // Neither the names of grammars nor shares of a hundred are for people.
    expect(stdout).not.toMatch(/P2-cached|\d ?%/);
  });

  test('words: what an error means that is no matter of memory', async () => {
    const text = 'RuntimeError: expected scalar type Half but found Float\n';
    const { code, stdout } = await run(text);
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      'Not a matter of memory: Two tensors of one operation have different types (half and float, say). Run the step under torch.autocast, or load the model in one type.',
      '',
      'Line 1',
      '  | RuntimeError: expected scalar type Half but found Float',
      '',
      '',
    ]);
    const json: unknown = JSON.parse((await run(text, '--json')).stdout);
    expect(json).toMatchObject({
      failures: [{ causes: [], meaning: expect.stringMatching(/^Two tensors/) }],
    });
  });

  test('words in Chinese', async () => {
    const { stdout } = await call([doctor], ['doctor', 'f'], { files: { f: oom }, locale: 'zh-CN' });
    expect(stdout.split('\n')[0]).toBe(
      '保留但未用的显存足够，但没有一块连续空间放得下这次申请（GPU 0，申请 1.9 GiB，空闲 1.3 GiB（总量 31.7 GiB），保留未用 5.1 GiB）。',
    );
  });

  test('what a log holds cannot steer the terminal', async () => {
    const { stdout } = await run(`\u001b]0;evil\u0007${oom}\u0000\u009b31m\n`);
    // eslint-disable-next-line no-control-regex -- control characters are what must not be there
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });

  test('a missing file is bad use', async () => {
    const { code, stdout, stderr } = await call([doctor], ['doctor', 'none'], {});
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('none: no such file');
  });
});
