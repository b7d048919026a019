import { describe, expect, it } from 'vitest';
import { defaultAnswers } from '../../../../../shared/strategy/wizard/defaults';
import { answersOfHint, answersOfJob, modelOfCommand } from '../../../../../shared/strategy/wizard/hints';
import { hasMoved, hasOtherCards, machineOf } from '../../../../../shared/strategy/wizard/machine';
import { plannableJob } from '../../../../../shared/strategy/wizard/uneven';
import { message } from '../../../../../shared/i18n/message';
import { GiB, MiB } from '../../../../../shared/units';
import type { ImbalanceKind } from '../../../../../shared/snapshot/types';
import { card, job, member, snapshot } from '../../../../component/support/snapshots';

const training = job('j1', [member(41822, [[0, 22 * GiB]])], { title: 'finetune.py' });
const busy = snapshot({
  cards: [
    card(0, { memoryFreeBytes: GiB, memoryUsedBytes: 23 * GiB, memoryReservedBytes: 313 * MiB }),
    card(1, { memoryFreeBytes: null, memoryUsedBytes: 0 }),
    card(2, { lost: true }),
    card(3, { memoryTotalBytes: null }),
  ],
  jobs: [training],
});

describe('the machine as the wizard sees it', () => {
  it('has the cards that are there, with what is free', () => {
    expect(machineOf(busy, null).cards).toEqual([
      {
        index: 0,
        name: 'NVIDIA GeForce RTX 3090',
        totalBytes: 24 * GiB,
        usableBytes: 24 * GiB - 313 * MiB,
        freeBytes: GiB,
      },
      {
        index: 1,
        name: 'NVIDIA GeForce RTX 3090',
        totalBytes: 24 * GiB,
        usableBytes: 24 * GiB,
        freeBytes: 24 * GiB,
      },
    ]);
  });

  it('has the memory back of a job that the plan shall replace', () => {
    const machine = machineOf(busy, 'j1');
    expect(machine.replacedJob).toBe('finetune.py');
    expect(machine.cards[0]?.freeBytes).toBe(23 * GiB);
    const { hostAvailableBytes } = machineOf(busy, null);
    if (hostAvailableBytes !== null) expect(machine.hostAvailableBytes).toBeGreaterThan(hostAvailableBytes);
  });

  it('is another one when its cards are, and only moves when memory does', () => {
    const then = machineOf(busy, null);
    const used = (free: number) => ({
      ...busy,
      cards: busy.cards.map((one) => (one.index === 0 ? { ...one, memoryFreeBytes: free } : one)),
    });
    expect(hasOtherCards(then, machineOf(used(20 * GiB), null))).toBe(false);
    expect(hasMoved(then, machineOf(used(20 * GiB), null))).toBe(true);
    expect(hasMoved(then, machineOf(used(GiB + 100 * MiB), null))).toBe(false);
    expect(hasOtherCards(then, machineOf({ ...busy, cards: busy.cards.slice(1) }, null))).toBe(true);
  });
});

describe('hints from other places', () => {
  const machine = machineOf(busy, null);
  const seen = (gpuIndex: number | null, totalBytes: number, availableBytes: number | null = null) => ({
    gpuIndex,
    totalBytes,
    availableBytes,
  });

  it('take the cards of a failure text, named where this machine has such cards', () => {
    const hint = { cards: [seen(0, 23.69 * GiB)], ranks: 2, whileLoading: false, text: '', seenHere: null };
    expect(answersOfHint(defaultAnswers, hint, machine).cards).toEqual({
      kind: 'given',
      text: '2 x 24258 MiB',
      cardName: 'NVIDIA GeForce RTX 3090',
    });
  });

  it('take what others left of them', () => {
    const hint = {
      cards: [seen(0, 80 * GiB, 60 * GiB), seen(1, 80 * GiB)],
      ranks: null,
      whileLoading: false,
      text: '',
      seenHere: null,
    };
    expect(answersOfHint(defaultAnswers, hint, machine).cards).toEqual({
      kind: 'given',
      text: '61440, 81920',
      cardName: null,
    });
    expect(answersOfHint(defaultAnswers, { ...hint, cards: [] }, machine)).toEqual(defaultAnswers);
  });

  it.each([
    [
      'model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-13b-hf", torch_dtype=bf16)',
      'llama-2-13b',
    ],
    ["  m = LlamaForCausalLM.from_pretrained(\n    'meta-llama/Llama-2-7b-hf')", 'llama-2-7b'],
    ['+ python run.py --model_name_or_path=meta-llama/Llama-2-7b-hf --bf16', 'llama-2-7b'],
    ['from_pretrained(config.name) and the gpt2 of old', null],
    ['', null],
  ])('take the model that the text names: %s', (text, id) => {
    const hint = { cards: [], ranks: null, whileLoading: false, text, seenHere: null };
    expect(answersOfHint(defaultAnswers, hint, machine).model).toEqual(
      id === null ? defaultAnswers.model : { kind: 'catalogue', id },
    );
  });

  it('take a job that was seen to fail here as one of this machine: all its cards, and the model of its command', () => {
    const command = ['python', 'finetune.py', '--model', 'Llama-2-13b-hf', '--device', 'cuda:0'];
    const hint = {
      cards: [seen(0, 23.69 * GiB)],
      ranks: null,
      whileLoading: true,
      text: '',
      seenHere: { command },
    };
    expect(answersOfHint(defaultAnswers, hint, machine)).toEqual({
      ...defaultAnswers,
      model: { kind: 'catalogue', id: 'llama-2-13b' },
      cards: { kind: 'detected', memory: 'free', leftOut: [] },
    });
    expect(answersOfHint(defaultAnswers, { ...hint, seenHere: { command: null } }, machine).model).toEqual(
      defaultAnswers.model,
    );
  });

  it.each([
    [['python', 'finetune.py', '--model', 'Llama-2-13b-hf'], 'llama-2-13b'],
    [['python', 'run.py', '--model_name_or_path=meta-llama/Llama-2-7b-hf'], 'llama-2-7b'],
    [['python', 'run.py', '--model', '/data/models/Qwen2.5-7B-Instruct/'], 'qwen2.5-7b'],
    [['python', 'run.py', 'gpt2'], 'gpt2'],
    [['python', 'run.py', '--config', 'configs/llama-1b.yaml'], null],
    [['python', 'train.py'], null],
    [[], null],
  ])('read the model of %j as %j', (command, id) => {
    expect(modelOfCommand(command)).toBe(id);
  });

  it('keep the model where a job names none', () => {
    expect(answersOfJob(defaultAnswers, [['python', 'train.py']])).toEqual({
      ...defaultAnswers,
      cards: { kind: 'detected', memory: 'free', leftOut: [] },
    });
    expect(
      answersOfJob(defaultAnswers, [['torchrun'], ['python', 'x.py', '--model', 'llama-2-13b']]).model,
    ).toEqual({ kind: 'catalogue', id: 'llama-2-13b' });
  });

  it('are offered for what a better spread would cure', () => {
    const uneven = (kind: ImbalanceKind) => ({
      kind,
      gpuIndices: [0],
      jobIds: ['j1'],
      what: message('app.doctor'),
      why: message('app.doctor'),
      remedy: message('app.doctor'),
    });
    expect(plannableJob(uneven('everything-on-one-card'), busy)).toBe(training);
    expect(plannableJob(uneven('card-order'), busy)).toBeNull();
    expect(plannableJob({ ...uneven('data-parallel-master'), jobIds: ['gone'] }, busy)).toBeNull();
  });
});
