import { describe, expect, it } from 'vitest';
import { planAnswersSchema } from '../../../../../shared/contract/planAnswers';
import { translate } from '../../../../../shared/i18n/translate';
import { globalBatchOf } from '../../../../../shared/strategy/batch';
import type { LinkAnswer, ModelSizes, PlanAnswers } from '../../../../../shared/strategy/wizard/answers';
import {
  autoLinksName,
  detectedHost,
  firstCardsAnswer,
  linksOf,
  readCards,
} from '../../../../../shared/strategy/wizard/cards';
import {
  defaultAnswers,
  defaultSizes,
  mostConfigCharacters,
  rememberedAnswers,
} from '../../../../../shared/strategy/wizard/defaults';
import { noCorrection } from '../../../../../shared/receipts/corrections';
import type { Machine } from '../../../../../shared/strategy/wizard/machine';
import { modelFacts, readModelAnswer } from '../../../../../shared/strategy/wizard/model';
import { exceededPositions } from '../../../../../shared/strategy/wizard/positions';
import { readQuestion } from '../../../../../shared/strategy/wizard/question';
import { cardsSummary, dataSummary, methodSummary } from '../../../../../shared/strategy/wizard/summaries';
import { GiB, MiB } from '../../../../../shared/units';

const machine: Machine = {
  cards: [0, 1].map((index) => ({
    index,
    name: 'NVIDIA GeForce RTX 3090',
    totalBytes: 24_576 * MiB,
    usableBytes: 24_263 * MiB,
    freeBytes: (index === 0 ? 1024 : 24_163) * MiB,
  })),
  links: [],
  hostTotalBytes: 64 * GiB,
  hostAvailableBytes: 40 * GiB,
  replacedJob: null,
  correction: noCorrection,
};
const noCards: Machine = { ...machine, cards: [] };
const given = (text: string, cardName: string | null = null): PlanAnswers => ({
  ...defaultAnswers,
  cards: { kind: 'given', text, cardName },
});
const words = (answers: PlanAnswers, on: Machine = machine): string =>
  translate('en', cardsSummary(answers, on));
const model = (answers: PlanAnswers) => {
  const reading = readModelAnswer(answers.model);
  if (reading.kind === 'refused') throw new Error(reading.why.key);
  return reading.model;
};

describe('the answers that the wizard starts with', () => {
  it('make a question without a further click', () => {
    const reading = readQuestion(defaultAnswers, machine, model(defaultAnswers));
    expect(reading).toMatchObject({
      kind: 'question',
      question: {
        globalBatch: null,
        hostBytes: 40 * GiB,
        request: { training: { method: { kind: 'full' }, sequence: 2048 }, card: { name: 'RTX 3090' } },
        cards: [
          { index: 0, totalBytes: 24_576 * MiB, freeBytes: 1024 * MiB },
          { index: 1, totalBytes: 24_576 * MiB, freeBytes: 24_163 * MiB },
        ],
      },
    });
    expect(reading.kind === 'question' && [...reading.question.wished]).toEqual(['method', 'seq']);
  });

  it('are what the file of answers takes', () => {
    expect(planAnswersSchema.parse(defaultAnswers)).toEqual(defaultAnswers);
  });
});

describe('wishes', () => {
  it('reach the planner under the names of the command, and nothing else does', () => {
    const answers: PlanAnswers = {
      ...defaultAnswers,
      wishes: {
        ...defaultAnswers.wishes,
        method: 'qlora',
        loraRank: 8,
        loraTargets: ['q_proj'],
        loraDropout: 0.05,
        doubleQuant: true,
        sequence: 512,
        microBatch: 2,
        globalBatch: 16,
        precision: 'bf16',
        checkpointing: 'full',
        strategy: 'ddp',
      },
    };
    const reading = readQuestion(answers, machine, model(answers));
    expect(reading).toMatchObject({
      kind: 'question',
      question: {
        globalBatch: 16,
        request: {
          strategy: 'ddp',
          training: {
            method: {
              kind: 'qlora',
              doubleQuantization: true,
              adapters: { rank: 8, targets: ['q_proj'], dropout: 0.05 },
            },
            precision: 'bf16',
            microBatch: 2,
            sequence: 512,
            checkpointing: { kind: 'full' },
          },
        },
      },
    });
    expect(reading.kind === 'question' && [...reading.question.wished].sort()).toEqual([
      'checkpointing',
      'doubleQuant',
      'loraDropout',
      'loraRank',
      'loraTargets',
      'method',
      'microBatch',
      'precision',
      'seq',
      'strategy',
    ]);
    expect(methodSummary(answers.wishes).map((part) => translate('en', part))).toEqual([
      'QLoRA r8',
      'bf16',
      'activations recomputed',
      'DDP, full copies',
    ]);
  });
});

describe('cards', () => {
  it('count with what is free, or as if nobody used them', () => {
    expect(words(defaultAnswers)).toBe('2 × RTX 3090, 1.0 GiB to 23.6 GiB free');
    const whole: PlanAnswers = {
      ...defaultAnswers,
      cards: { kind: 'detected', memory: 'total', leftOut: [] },
    };
    expect(words(whole)).toBe('2 × RTX 3090, 23.7 GiB each');
    expect(readCards(whole, machine)).toMatchObject({ cards: [{ freeBytes: 24_263 * MiB }, {}] });
  });

  it('can be left out, but not all of them', () => {
    const without = (leftOut: readonly number[]): PlanAnswers => ({
      ...defaultAnswers,
      cards: { kind: 'detected', memory: 'free', leftOut },
    });
    expect(words(without([0]))).toBe('1 × RTX 3090, 23.6 GiB free');
    expect(words(without([0, 1]))).toBe('Every card is left out. Take at least one.');
  });

  it('can be others than those of the machine, of mixed sizes', () => {
    expect(words(given('2 x 24 GiB'))).toBe('2 cards, 24.0 GiB each');
    expect(words(given('24576, 16384', 'RTX 4090'))).toBe('2 × RTX 4090, 16.0 GiB to 24.0 GiB');
    expect(readCards(given('24576, 16384'), machine)).toEqual({
      kind: 'cards',
      cardName: null,
      cards: [
        { index: 0, totalBytes: 24 * GiB, freeBytes: 24 * GiB },
        { index: 1, totalBytes: 16 * GiB, freeBytes: 16 * GiB },
      ],
    });
  });

  it('are refused in one line where the text names none, or the machine has none', () => {
    expect(words(given('two cards'))).toBe(
      '“two cards” does not name cards. Write 2 x 24 GiB, or the MiB of each: 24576, 16384.',
    );
    expect(words(defaultAnswers, noCards)).toBe(
      'No NVIDIA card was found on this machine. Plan for other cards instead.',
    );
    expect(readQuestion(defaultAnswers, noCards, model(defaultAnswers))).toMatchObject({
      kind: 'incomplete',
      step: 'cards',
    });
  });

  it('are joined as nvidia-smi says, as the card is sold, or as the person says', () => {
    const between = (links: LinkAnswer, name: string, on: Machine = noCards) =>
      linksOf({ ...given('2 x 24 GiB', name), links }, on, { cards: [], cardName: name });
    expect(between('auto', 'RTX 3090')).toMatchObject({ kind: 'pcie', read: false });
    expect(between('nvlink', 'RTX 3090')).toMatchObject({ kind: 'nvlink', read: true });
    expect(between('nvlink', 'RTX 3090').betweenCardsBytesPerSecond).toBeGreaterThan(
      between('pcie', 'RTX 3090').betweenCardsBytesPerSecond,
    );
    expect(between('pcie', 'H100')).toMatchObject({ kind: 'pcie', read: true });
    expect(between('auto', 'H100')).toMatchObject({ kind: 'nvlink', read: false });

    const link = (from: string, to: string, kind: string) => ({ from, to, kind, link: null });
    const links = [link('GPU0', 'GPU1', 'NV4'), link('GPU0', 'GPU2', 'SYS'), link('GPU0', 'NIC0', 'PHB')];
    const reading = readCards(defaultAnswers, machine);
    if (reading.kind === 'refused') throw new Error(reading.why.key);
    expect(linksOf(defaultAnswers, { ...machine, links }, reading)).toMatchObject({
      kind: 'nvlink',
      read: true,
    });
    expect(linksOf(defaultAnswers, machine, reading)).toMatchObject({ kind: 'pcie', read: false });
  });
});

describe('the model', () => {
  it('is one of the catalogue, with its exact count', () => {
    expect(modelFacts(model({ ...defaultAnswers, model: { kind: 'catalogue', id: 'llama-2-13b' } }))).toEqual(
      {
        name: 'Llama 2 13B',
        className: 'LlamaForCausalLM',
        parameters: 13_015_864_320,
        layers: 40,
        hiddenSize: 5120,
        vocabularySize: 32_000,
        isImage: false,
        maxPositions: 4096,
        warnings: [],
      },
    );
  });

  it('is a config as it came, named after its file', () => {
    const text = readModelAnswer({ kind: 'catalogue', id: 'gpt2' });
    if (text.kind === 'refused') throw new Error();
    const reading = readModelAnswer({ kind: 'config', name: 'my-gpt.json', text: text.model.configJson });
    expect(reading).toMatchObject({
      kind: 'model',
      model: { id: null, name: 'my-gpt', configJson: text.model.configJson },
    });
  });

  it.each(['', 'not json', '[]', '{"_class_name":"UNet2DConditionModel"}'])(
    'refuses the config %j',
    (text) => {
      expect(readModelAnswer({ kind: 'config', name: 'x.json', text }).kind).toBe('refused');
    },
  );

  it('is of typed sizes, and refused where they contradict each other', () => {
    const facts = modelFacts(model({ ...defaultAnswers, model: { kind: 'sizes', sizes: defaultSizes } }));
    expect(facts.parameters).toBe(8_030_261_248);
    const refused = (sizes: Partial<ModelSizes>): string => {
      const reading = readModelAnswer({ kind: 'sizes', sizes: { ...defaultSizes, ...sizes } });
      return reading.kind === 'refused' ? translate('en', reading.why) : '';
    };
    expect(refused({ keyValueHeads: 5 })).toContain('32 heads cannot be divided among 5');
    expect(refused({ hiddenSize: 4097 })).toContain('4,097 cannot be divided among 32');
  });

  it('has images where it reads patches', () => {
    const facts = modelFacts(model({ ...defaultAnswers, model: { kind: 'catalogue', id: 'vit-base' } }));
    expect(facts).toMatchObject({ isImage: true, vocabularySize: null });
    const text = (isImage: boolean): string => translate('en', dataSummary(defaultAnswers, machine, isImage));
    expect([text(true), text(false)]).toEqual(['batch 16, images', 'batch 16, 2,048 tokens']);
  });
});

describe('the step of the cards', () => {
  it('begins with what is free, or with two cards like the first one of this machine', () => {
    expect(firstCardsAnswer('detected', machine)).toEqual(defaultAnswers.cards);
    expect(firstCardsAnswer('given', machine)).toEqual({
      kind: 'given',
      text: '2 x 24 GiB',
      cardName: 'NVIDIA GeForce RTX 3090',
    });
    expect(firstCardsAnswer('given', noCards)).toMatchObject({ cardName: null });
  });

  it('says what host memory was detected, whatever was typed, and nothing of another machine', () => {
    const hint = (answers: PlanAnswers, on = machine): string => translate('en', detectedHost(answers, on));
    const whole = { ...defaultAnswers, cards: { kind: 'detected', memory: 'total', leftOut: [] } } as const;
    expect(hint({ ...defaultAnswers, hostGib: 7 })).toBe(hint(defaultAnswers));
    expect(hint(defaultAnswers)).toContain('40.0 GiB');
    expect(hint(whole)).toContain('64.0 GiB');
    const unknown = translate('en', { key: 'planSteps.hostUnknown', values: {} });
    expect(hint(given('2 x 24 GiB'))).toBe(unknown);
    expect(hint(defaultAnswers, { ...machine, hostAvailableBytes: null })).toBe(unknown);
  });

  it('says that links were read only where nvidia-smi told them and nothing else was chosen', () => {
    const speeds = {
      kind: 'pcie',
      betweenCardsBytesPerSecond: 1e10,
      toHostBytesPerSecond: 1e10,
      read: true,
    } as const;
    expect(autoLinksName('auto', speeds).key).toBe('planSteps.linksRead');
    for (const [answer, known] of [
      ['nvlink', speeds],
      ['auto', { ...speeds, read: false }],
      ['auto', null],
    ] as const)
      expect(autoLinksName(answer, known).key).toBe('planSteps.linksAuto');
  });
});

describe('the length of a sample', () => {
  it.each([
    [{ isImage: false, maxPositions: 2048 }, 2048, null],
    [{ isImage: false, maxPositions: 2048 }, 2049, 2048],
    [{ isImage: false, maxPositions: null }, 9999, null],
    // Nobody chooses the length of an image.
    [{ isImage: true, maxPositions: 197 }, 2048, null],
  ])('of a model with %o: %i tokens exceed %o', (facts, sequence, limit) => {
    expect(exceededPositions(facts, sequence)).toBe(limit);
  });
});

describe('the batch in the summary', () => {
  it.each<[Partial<PlanAnswers['wishes']>, number]>([
    [{}, 16],
    [{ globalBatch: 12 }, 12],
    [{ microBatch: 3 }, 6],
    [{ microBatch: 3, strategy: 'ddp' }, 6],
    // The stages of a pipeline, and the shards of a layer, all see the same samples.
    [{ microBatch: 3, strategy: 'pipeline' }, 3],
    [{ microBatch: 3, strategy: 'tensor' }, 3],
    [{ strategy: 'pipeline' }, 16],
  ])('of %o is %i, as in the plans', (wishes, batch) => {
    const answers = { ...defaultAnswers, wishes: { ...defaultAnswers.wishes, ...wishes } };
    const reading = readQuestion(answers, machine, model(answers));
    if (reading.kind === 'incomplete') throw new Error(reading.why.key);
    expect([dataSummary(answers, machine, false).values['batch'], globalBatchOf(reading.question)]).toEqual([
      batch,
      batch,
    ]);
  });
});

describe('what is remembered', () => {
  it('holds a config up to a size that is no burden', () => {
    const config = (length: number): PlanAnswers => ({
      ...defaultAnswers,
      model: { kind: 'config', name: 'a.json', text: 'x'.repeat(length) },
    });
    expect(rememberedAnswers(config(mostConfigCharacters))).toEqual(config(mostConfigCharacters));
    expect(rememberedAnswers(config(mostConfigCharacters + 1))).toEqual(defaultAnswers);
    expect(planAnswersSchema.safeParse(config(mostConfigCharacters + 1)).success).toBe(false);
  });
});
