import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { CommandError } from '../../../electron/commands/command';
import { planCommand, planToWrite } from '../../../electron/commands/plan';
import { message } from '../../../shared/i18n/message';
import { linksOfCard } from '../../../shared/strategy/links';
import { plan as planStrategies } from '../../../shared/strategy/plan';
import { GiB, MiB } from '../../../shared/units';
import { cardsOf, questionOf, smallLlama } from '../shared/strategy/questions';
import { call, type Answer } from './cliSupport';

const config = JSON.stringify({
  model_type: 'llama',
  architectures: ['LlamaForCausalLM'],
  hidden_size: 256,
  intermediate_size: 512,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  vocab_size: 1000,
});
const detected = planCommand(async () => ({
  cards: [
    { index: 0, totalBytes: 8 * GiB, freeBytes: 200 * MiB },
    { index: 1, totalBytes: 8 * GiB, freeBytes: 7 * GiB },
  ],
  cardName: 'NVIDIA GeForce RTX 3090',
  hostBytes: 32 * GiB,
  linksFor: linksOfCard,
}));
const nothingDetected = planCommand(async () => {
  throw new CommandError(message('planCommand.noneDetected'));
});

const run = (
  words: readonly string[],
  command = nothingDetected,
  locale: 'en' | 'zh-CN' = 'en',
): Promise<Answer> =>
  call([command], ['plan', '--model', 'tiny.json', '--seq', '128', ...words], {
    files: { 'tiny.json': config },
    locale,
  });

const folders: string[] = [];
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'headroom-plan-'));
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true });
});

describe('headroom plan', () => {
  test('--json prints one value with the keys of the contract', async () => {
    const { code, stderr, stdout } = await run(['--gpus', '2x8GiB', '--json']);
    expect([code, stderr]).toEqual([0, '']);
    const answer = JSON.parse(stdout);
    expect(Object.keys(answer)).toEqual(expect.arrayContaining(['plans', 'refused']));
    const [best] = answer.plans;
    const keys =
      'rank strategy world precision optimizer checkpointing attention offload microBatch accumulationSteps verdict cards hostBytes relativeStepTime why changesTraining measured';
    expect(Object.keys(best)).toEqual(expect.arrayContaining(keys.split(' ')));
    expect(best).toMatchObject({
      rank: 1,
      verdict: 'fits',
      relativeStepTime: 1,
      offload: 'none',
      checkpointing: 'none',
    });
    expect(best.cards[0].timeline).toBeUndefined();
    for (const { strategy, why } of answer.refused)
      expect([typeof strategy, typeof why]).toEqual(['string', 'string']);
  });

  test('plans for the free memory of the cards that are there', async () => {
    const { stdout } = await run(['--json'], detected);
    expect(JSON.parse(stdout).plans[0]).toMatchObject({ strategy: 'single', world: 1, cardIndices: [1] });
  });

  test('answers 1 where nothing fits, with the reasons', async () => {
    const { code, stdout } = await run(['--gpus', '100MiB']);
    expect(code).toBe(1);
    expect(stdout).toContain('No plan fits.');
    expect(stdout).toContain('  One card · Full fine-tuning: ');
  });

  test('names choices in words, and says what is offloaded and what stays', async () => {
    const of = async (strategy: string, offload: string): Promise<string> =>
      (await run(['--gpus', '2x8GiB', '--strategy', strategy, '--offload', offload])).stdout;
    const sharded = await of('fsdp-full', 'all');
    expect(sharded).toMatch(
      /^1\. FSDP, full shards · 2 cards · Full fine-tuning · .* · weights and optimizer in host memory: fits$/m,
    );
    expect(sharded).toContain('Weights, gradients and optimizer lie in host memory');
    const copied = await of('zero2', 'optimizer');
    expect(copied).toContain('The optimizer lies in host memory');
    expect(copied).toContain('the weights stay on the 2 cards');
  });

  test('calls the card fullest of which most is needed: of unequal cards the small one', async () => {
    const { stdout } = await run(['--gpus', '24GiB,8GiB', '--strategy', 'ddp']);
    expect(stdout).toContain('of 8.0 GiB)');
    expect(stdout).not.toContain('of 24.0 GiB)');
  });

  test('a plan for one card says so once', async () => {
    const { stdout } = await run(['--gpus', '8GiB']);
    expect(stdout).toMatch(/^1\. One card · Full fine-tuning · /m);
  });

  test('a wish binds every plan, and auto is none', async () => {
    const { stdout } = await run([
      '--gpus',
      '2x8GiB',
      '--strategy',
      'fsdp-full',
      '--precision',
      'auto',
      '--json',
    ]);
    const { plans } = JSON.parse(stdout);
    expect(new Set(plans.map(({ strategy }: { strategy: string }) => strategy))).toEqual(
      new Set(['fsdp-full']),
    );
  });

  test('writes the files of a plan, and none over what is there without --force', async () => {
    const into = join(folder(), 'run');
    const words = ['--gpus', '2x8GiB', '--strategy', 'ddp-bucket-view', '--write', into];
    const { code, stdout } = await run(words, nothingDetected, 'zh-CN');
    expect(code).toBe(0);
    expect(readdirSync(into).sort()).toEqual(
      [
        'README.md',
        'accelerate.yaml',
        'config.json',
        'headroom-plan.json',
        'launch.sh',
        'requirements.txt',
        'train.py',
      ].sort(),
    );
    expect(stdout.trim().split('\n')).toHaveLength(7);
    expect(readFileSync(join(into, 'README.md'), 'utf8')).toMatch(/[\u4e00-\u9fff]/);
    expect(statSync(join(into, 'launch.sh')).mode & 0o100).toBe(0o100);
    writeFileSync(join(into, 'train.py'), 'mine');
    const again = await run(words);
    expect([again.code, again.stderr.split('\n').length]).toEqual([2, 2]);
    expect(again.stderr).toContain('--force');
    expect(readFileSync(join(into, 'train.py'), 'utf8')).toBe('mine');
    expect((await run([...words, '--force'])).code).toBe(0);
    expect(readFileSync(join(into, 'train.py'), 'utf8')).not.toBe('mine');
  });

  test('without --plan the best that has files is taken; a number is taken at its word', () => {
    const { plans } = planStrategies(questionOf(smallLlama(256, 2, 1000), cardsOf(8000, 8000), { seq: 128 }));
    expect(plans.length).toBeGreaterThan(2);
    const butTheFirstTwo = ({ rank }: { rank: number }): boolean => rank > 2;
    expect(planToWrite(plans, null, butTheFirstTwo).rank).toBe(3);
    expect(planToWrite(plans, 1, butTheFirstTwo).rank).toBe(1);
    // Where none has files the first says why.
    expect(planToWrite(plans, null, () => false).rank).toBe(1);
    expect(() => planToWrite([], null, () => true)).toThrow(CommandError);
    expect(() => planToWrite(plans, 999, () => true)).toThrow(CommandError);
  });

  test('marks plans without files in the list and in the JSON', async () => {
    const words = ['--gpus', '2x8GiB', '--optimizer', 'lion'];
    const reason = 'Files cannot be written for the optimizer "lion" yet.';
    expect((await run(words)).stdout).toContain(`   No files for this plan: ${reason}\n`);
    const [lion] = JSON.parse((await run([...words, '--json'])).stdout).plans;
    expect(lion.noFiles).toBe(reason);
    const [adamw] = JSON.parse((await run(['--gpus', '2x8GiB', '--json'])).stdout).plans;
    expect(adamw.noFiles).toBeNull();
  });

  test('says in its help that an absent flag leaves the choice to the planner', async () => {
    const { stdout } = await run(['--help']);
    expect(stdout).toContain('or bf16 (auto)\n');
    expect(stdout).toContain('without it the planner chooses.');
    expect(stdout).not.toContain('(amp-bf16)');
  });

  test('refuses full copies once, wherever their gradients lie', async () => {
    const words = ['plan', '--model', 'llama-2-13b', '--gpus', '2x24GiB'];
    const { stdout } = await call([nothingDetected], words, {});
    expect(stdout.split('\n').filter((line) => line.includes('DDP, full copies · Full'))).toHaveLength(1);
    expect(stdout).not.toContain('DDP, bucket views · Full');
  });

  test('refuses a folder that cannot be made, before it plans, and makes one inside another', async () => {
    const made = folder();
    writeFileSync(join(made, 'file'), '');
    for (const into of [join(made, 'file'), join(made, 'file', 'run')]) {
      const { code, stderr } = await run(['--gpus', '8GiB', '--write', into]);
      expect([code, stderr]).toEqual([
        2,
        `headroom plan: ${into} cannot be made: part of its path is a file\n`,
      ]);
    }
    const deep = join(made, 'a', 'b', 'c');
    expect((await run(['--gpus', '8GiB', '--write', deep])).code).toBe(0);
    expect(readdirSync(deep)).toContain('train.py');
  });

  test('says one reason for all refusals once', async () => {
    const { code, stdout } = await run(['--gpus', '2x8GiB', '--world', '5']);
    expect(code).toBe(1);
    expect(stdout.split('5 cards were asked for')).toHaveLength(2);
  });

  test('refuses in one line what has no files', async () => {
    const { code, stderr } = await run([
      '--gpus',
      '2x8GiB',
      '--optimizer',
      'lion',
      '--write',
      join(folder(), 'run'),
    ]);
    expect([code, stderr]).toEqual([
      2,
      'headroom plan: Files cannot be written for the optimizer "lion" yet.\n',
    ]);
  });

  test('--ask answers with a plan and a reason', async () => {
    const { code, stdout } = await run(['--gpus', '2GiB', '--ask', 'smallest-card', '--json']);
    expect(code).toBe(0);
    const { answer, plan, why } = JSON.parse(stdout);
    expect(answer).toBeLessThan(2 * GiB);
    expect([plan.verdict, typeof why]).toEqual(['fits', 'string']);
  });

  test.each([
    [['--gpus', 'two'], '--gpus: "two" is not a set of cards'],
    [[], 'no card was detected'],
    [['--gpus', '8GiB', '--force'], '--force needs --write'],
    [['--gpus', '8GiB', '--card-mib', '8'], '--card-mib and --gpus'],
    [['--gpus', '8GiB', '--ask', 'why'], '--ask'],
    [['--gpus', '8GiB', '--precision', 'int3'], '--precision'],
    [['--gpus', '8GiB', '--write', 'x', '--plan', '99'], '--plan 99: there'],
  ])('%j is bad use: one line and 2', async (words, expected) => {
    const { code, stderr, stdout } = await run(words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(expected);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
