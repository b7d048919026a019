import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockPaths, parameterCount, parameterTensors } from '../../../../shared/model/inventory';
import {
  outsidePlaces,
  stageLayers,
  stageModel,
  stageObstacle,
  stagesOf,
} from '../../../../shared/model/stages';
import { architectureOf, catalogued, smallLlama } from '../strategy/questions';

describe('layers of each stage', () => {
  it('are even where embedding and head are small, and fewer beside a large table', () => {
    // 12 layers of 12 · 512² and a table and head of 1,000 rows.
    expect(stageLayers(smallLlama(512, 12, 1000), [1, 1, 1, 1])).toEqual([3, 3, 3, 3]);
    // Table and head weigh as much as five layers each.
    expect(stageLayers(smallLlama(512, 12, 35_000), [1, 1, 1])).toEqual([2, 8, 2]);
    expect(stageLayers(catalogued('llama-2-13b'), [1, 1])).toEqual([20, 20]);
    expect(stageLayers(catalogued('llama-3.1-70b'), [1, 1, 1, 1, 1, 1, 1, 1])).toEqual([
      9, 10, 10, 10, 10, 11, 11, 9,
    ]);
  });

  it('follow the sizes of the cards', () => {
    expect(stageLayers(smallLlama(512, 12, 1000), [2, 1])).toEqual([8, 4]);
    expect(stageLayers(smallLlama(512, 12, 1000), [24_564, 12_282, 12_282])).toEqual([6, 3, 3]);
  });

  it('are none where the model cannot be cut', () => {
    const small = smallLlama(64, 2, 100);
    expect([stageLayers(small, [1, 1, 1]), stageObstacle(small, 3)]).toEqual([null, 'too-few-layers']);
    expect(stageLayers(small, [])).toBeNull();
    expect(stageLayers(small, [1, 0])).toBeNull();
    expect(stageObstacle(catalogued('t5-base'), 2)).toBe('several-stacks');
    const albert = architectureOf({
      model_type: 'albert',
      architectures: ['AlbertForMaskedLM'],
      hidden_size: 64,
      embedding_size: 32,
      intermediate_size: 128,
      num_hidden_layers: 4,
      num_attention_heads: 4,
      num_hidden_groups: 1,
      inner_group_num: 1,
      max_position_embeddings: 64,
      type_vocab_size: 2,
      vocab_size: 100,
    });
    expect(stageObstacle(albert, 2)).toBe('shared-layers');
  });

  it('put the final norm last even where it is registered first', () => {
    const places = outsidePlaces(catalogued('opt-1.3b'));
    expect(places.get('model.decoder.final_layer_norm.weight')).toBe('last');
    expect(places.get('model.decoder.embed_positions.weight')).toBe('first');
    expect(outsidePlaces(catalogued('gpt2')).get('transformer.wpe.weight')).toBe('first');
  });

  it('sum to the model, and no other cut leaves the fullest card emptier', () => {
    const shares = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        shares,
        fc.integer({ min: 4, max: 9 }),
        fc.integer({ min: 10, max: 9000 }),
        (cards, layers, rows) => {
          const model = smallLlama(64, layers, rows);
          const counts = stageLayers(model, cards) ?? [];
          expect(counts.reduce((sum, count) => sum + count, 0)).toBe(layers);
          const layer = parameterTensors(model).reduce(
            (sum, { blockPath, elements }) => sum + (blockPath === 'model.layers.0' ? elements : 0),
            0,
          );
          const fullest = (cut: readonly number[]): number =>
            Math.max(
              ...cut.map((count, index) => {
                const table = index === 0 ? rows * 64 : 0;
                const head = index === cut.length - 1 ? rows * 64 + 64 : 0;
                return (count * layer + table + head) / (cards[index] ?? 1);
              }),
            );
          for (const other of cutsOf(layers, cards.length))
            expect(fullest(counts)).toBeLessThanOrEqual(fullest(other) * (1 + 1e-9));
        },
      ),
    );
  });
});

/** Every way to cut `layers` layers into `count` runs. */
function cutsOf(layers: number, count: number): number[][] {
  if (count === 1) return layers > 0 ? [[layers]] : [];
  return Array.from({ length: layers }, (_, index) => index + 1).flatMap((first) =>
    cutsOf(layers - first, count - 1).map((rest) => [first, ...rest]),
  );
}

describe('the model of a stage', () => {
  it.each(['tinyllama-1.1b', 'gpt2', 'opt-1.3b', 'qwen2.5-0.5b', 'bert-base'])(
    '%s: all stages together are the model',
    (id) => {
      const model = catalogued(id);
      const stages = stagesOf(model, [1, 1, 1]) ?? [];
      const cuts = stages.map((stage) => stageModel(model, stage));
      const own = cuts.map(({ architecture, elsewhere }) =>
        parameterTensors(architecture).reduce(
          (sum, { elements, name, tiedTo }) => sum + (tiedTo === null && !elsewhere.has(name) ? elements : 0),
          0,
        ),
      );
      const shared = parameterTensors(model).reduce(
        (sum, { elements, name, tiedTo }) =>
          sum +
          (tiedTo !== null && outsidePlaces(model).get(tiedTo) !== outsidePlaces(model).get(name)
            ? elements
            : 0),
        0,
      );
      // A head that is tied to the table has its own copy on the last stage.
      expect(own.reduce((sum, count) => sum + count, 0)).toBe(parameterCount(model) + shared);
      expect(cuts.map(({ architecture }) => blockPaths(architecture).length)).toEqual(
        stageLayers(model, [1, 1, 1]),
      );
      expect(blockPaths(cuts[1]?.architecture ?? model)[0]).toBe(blockPaths(model)[0]);
    },
  );

  it('is the whole model where there is one stage', () => {
    const model = smallLlama(64, 2, 100);
    const [stage] = stagesOf(model, [1]) ?? [];
    if (stage === undefined) throw new Error('one stage');
    expect(stageModel(model, stage).architecture).toBe(model);
  });
});
