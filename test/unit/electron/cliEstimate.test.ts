import { describe, expect, test } from 'vitest';
import { estimate } from '../../../electron/commands/estimate';
import { type Answer, call } from './cliSupport';

const run = (words: string, files: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  call([estimate], ['estimate', ...words.split(' ')], { files });

const refusal = async (words: string): Promise<readonly [number, string]> => {
  const { code, stderr, stdout } = await run(words);
  expect(stdout).toBe('');
  return [code, stderr];
};

describe('headroom estimate --json', () => {
  test('answers with exactly the keys of the contract', async () => {
    const { code, stdout, stderr } = await run(
      '--model gpt2 --seq 512 --precision bf16 --card-mib 24564 --json',
    );
    expect([code, stderr]).toEqual([0, '']);
    const answer = JSON.parse(stdout);
    expect(Object.keys(answer)).toEqual([
      'parameters',
      'trainableParameters',
      'cards',
      'hostBytes',
      'maxMicroBatch',
      'assumptions',
      'warnings',
      'measured',
    ]);
    const [card] = answer.cards;
    expect(Object.keys(card)).toEqual([
      'rank',
      'allocatedPeakBytes',
      'reservedPeakBytes',
      'contextBytes',
      'processBytes',
      'interval',
      'peak',
      'timeline',
      'cardBytes',
      'verdict',
    ]);
    expect(answer).toMatchObject({
      parameters: 124_439_808,
      trainableParameters: 124_439_808,
      hostBytes: 0,
      measured: true,
      warnings: [
        'The largest micro-batch of 37 was found by trying sizes from 1 up in one process. A training that begins with it runs out of memory, because its first step leaves optimizer state between large activations; it can begin with 33.',
      ],
    });
    expect(card).toMatchObject({ rank: 0, contextBytes: 758 * 2 ** 20, verdict: 'fits' });
    expect(card.processBytes).toBe(card.reservedPeakBytes + card.contextBytes);
    expect(Object.keys(card.peak.byKind)).toEqual(Object.keys(card.timeline[0].byKind));
    expect(card.timeline.length).toBeGreaterThan(100);
    expect(card.timeline.length).toBeLessThanOrEqual(400);
    const sum = Object.values<number>(card.peak.byKind).reduce((total, bytes) => total + bytes, 0);
    expect(sum).toBe(card.allocatedPeakBytes);
  });

  test('every rank of a sharded run has its answer; what is offloaded is in the machine', async () => {
    const { stdout } = await run(
      '--model gpt2 --seq 256 --strategy fsdp-full --world 4 --offload all --card-mib 8192,8192,8192,1024 --json',
    );
    const answer = JSON.parse(stdout);
    expect(
      answer.cards.map(({ rank, verdict }: { rank: number; verdict: string }) => [rank, verdict]),
    ).toEqual([
      [0, 'fits'],
      [1, 'fits'],
      [2, 'fits'],
      [3, 'no'],
    ]);
    expect(answer.cards[0].peak.byKind.optimizer).toBe(0);
    expect(answer.hostBytes).toBeGreaterThan(16 * 124_439_808);
  });

  test('the first card of DataParallel holds more than the others, and the answer is not measured', async () => {
    const { stdout } = await run('--model gpt2 --seq 256 --strategy dp --world 3 --json');
    const { cards, measured } = JSON.parse(stdout);
    expect(measured).toBe(false);
    expect(cards[0].allocatedPeakBytes).toBeGreaterThan(cards[1].allocatedPeakBytes * 1.5);
    expect(cards[1].allocatedPeakBytes).toBe(cards[2].allocatedPeakBytes);
  });

  test('QLoRA holds a quarter of the weights that LoRA holds', async () => {
    const parametersOf = async (method: string): Promise<number> => {
      const { stdout } = await run(
        `--model llama-2-7b --method ${method} --precision bf16 --checkpointing full --seq 256 --json`,
      );
      return JSON.parse(stdout).cards[0].peak.byKind.parameters;
    };
    // 6,476,005,376 weights of 224 layers in 4 bits with a scale of 4 bytes for 64; embedding, norms and head in 16 bits.
    const adapters = 39_976_960 * 4;
    const quantized = 6_476_005_376 * (0.5 + 4 / 64) + 262_410_240 * 2 + adapters;
    const whole = (6_476_005_376 + 262_410_240) * 2 + adapters;
    // The allocator counts whole blocks, up to two in a hundred more than the tensors.
    for (const [method, bytes] of [
      ['qlora', quantized],
      ['lora', whole],
    ] as const) {
      const share = (await parametersOf(method)) / bytes;
      expect([method, share >= 1 && share < 1.02]).toEqual([method, true]);
    }
  });
});

test('micro-batches accumulated beyond the second hold no more', async () => {
  const peakOf = async (count: number): Promise<number> =>
    JSON.parse((await run(`--model gpt2 --seq 64 --accumulation ${count} --json`)).stdout).cards[0]
      .allocatedPeakBytes;
  expect(await peakOf(131_072)).toBe(await peakOf(16));
  expect(await peakOf(16)).toBe(await peakOf(3));
});

describe('headroom estimate refuses in one line', () => {
  test.each([
    ['--seq 512', '--model is missing; expected a config.json or the id of a catalogue entry'],
    ['--model gpt2 --micro-batch 0', '--micro-batch must be a whole number from 1 up, but is 0.'],
    ['--model gpt2 --micro-batch 1e400', '--micro-batch must be a whole number from 1 up, but is Infinity.'],
    ['--model gpt2 --micro-batch 1e9', '--micro-batch must be at most 131,072, but is 1000000000.'],
    ['--model gpt2 --seq 1e9', '--seq must be at most 134,217,728, but is 1000000000.'],
    [
      '--model gpt2 --card-mib abc',
      '--card-mib must be a card size in MiB, or one for each card, but has "abc".',
    ],
    ['--model gpt2 --card-mib 8192,8192', '2 card sizes were given for 1 card; give one.'],
    ['--model gpt2 --context-mib=-1', '--context-mib must be a size in MiB from 0 up, but is "-1".'],
    [
      '--model gpt2 --method lora --lora-dropout 1',
      '--lora-dropout must be a number from 0 up and below 1, but is "1".',
    ],
    ['--model gpt2 --seq many', '--seq must be a whole number from 1 up, but is many.'],
    [
      '--model gpt2 --strategy ddp --world 3 --card-mib 1,2,3,4',
      '4 card sizes were given for 3 cards; give one for all or one for each.',
    ],
    [
      '--model gpt2 --method lora --lora-targets q_proj',
      'No linear layer of this model is called "q_proj". Its layers are: c_attn, c_proj, c_fc, lm_head.',
    ],
    ['--model gpt2 --precision fp8', '--precision: "fp8" is not one of fp32, amp-bf16, amp-fp16, bf16.'],
    [
      '--model gpt2 --checkpointing segments:0',
      '--checkpointing: "segments:0" is not one of none, full, selective, segments:N.',
    ],
    ['--model gpt2 --world 2', 'The strategy "single" uses one card, but 2 were asked for.'],
    ['--model gpt2 --strategy zero2 --world 2 --offload all', '"zero2" can offload optimizer, but not all.'],
    ['--batch - --model gpt2', '--batch takes its requests from the file; --model cannot be given with it'],
  ])('%s', async (words, text) => {
    expect(await refusal(words)).toEqual([2, `headroom estimate: ${text}\n`]);
  });
});

describe('headroom estimate as text', () => {
  test('warns of flags of adapters where none are trained', async () => {
    const warned = await run('--model gpt2 --seq 128 --lora-rank 8 --json');
    expect(JSON.parse(warned.stdout).warnings).toEqual([
      '--lora-rank has no effect without --method lora or qlora.',
    ]);
    const meant = await run('--model gpt2 --seq 128 --lora-rank 8 --method lora --json');
    expect(JSON.parse(meant.stdout).warnings).toEqual([]);
  });

  test('warns of long sequences and unknown cards, and says when nothing fits', async () => {
    const { code, stdout } = await run(
      '--model gpt2 --seq 2048 --card RTX4050 --card-mib 1024 --precision bf16',
    );
    expect(code).toBe(1);
    expect(stdout).toContain('does not fit a card of 1.0 GiB');
    expect(stdout).toContain('Not even a micro-batch of 1 fits.');
    expect(stdout).toContain('The card "RTX4050" is not known; the values of the RTX 4080 are taken');
    expect(stdout).toContain('A sequence of 2,048 tokens is longer than the 1,024 positions');
  });
});

describe('headroom estimate --batch', () => {
  test('a fault in one line is told as that line, and the rest goes on', async () => {
    const files = {
      requests: '{"model":"broken.json"}\n{"model":"gpt2","seq":64}\n',
      get 'broken.json'(): string {
        throw new TypeError('no such luck');
      },
    };
    const { code, stdout } = await run('--batch requests', files);
    const [broken, whole] = stdout.split('\n');
    expect(code).toBe(0);
    expect(JSON.parse(broken ?? '')).toEqual({
      error: 'internal fault, please report it: TypeError: no such luck',
    });
    expect(JSON.parse(whole ?? '')).toMatchObject({ parameters: 124_439_808 });
  });

  test('answers line by line in order; a bad line gets its error and the rest goes on', async () => {
    const lines = [
      '{"model":"gpt2","seq":256,"microBatch":2,"precision":"bf16"}',
      'not json',
      '{"model":"gpt2","microBatch":0}',
      '{"model":"gpt2","microbatch":1}',
      '{"seq":256}',
      '{"model":"no-such-model"}',
      '{"model":"gpt2","seq":256,"microBatch":1,"cardMib":[8192],"contextMib":500}',
    ];
    const { code, stdout } = await run('--batch requests', { requests: `${lines.join('\n')}\n` });
    expect(code).toBe(0);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers).toHaveLength(lines.length);
    expect(answers[0]).toMatchObject({ maxMicroBatch: null, cards: [{ timeline: [], verdict: null }] });
    expect(answers[1].error).toContain('not a JSON object');
    expect(answers[2]).toEqual({ error: 'microBatch must be a whole number from 1 up, but is 0.' });
    expect(answers[3]).toEqual({ error: 'No request has a key "microbatch"; did you mean "microBatch"?' });
    expect(answers[4].error).toContain('"model" is missing');
    expect(answers[5].error).toContain('no-such-model');
    expect(answers[6].cards[0].contextBytes).toBe(500 * 2 ** 20);
    expect(answers[6].maxMicroBatch).toBeGreaterThan(1);
  });
});
