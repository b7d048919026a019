import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeOf } from '../../../../../shared/memory/view/place';

const parts = (...paths: readonly string[]) => paths.map((path) => placeOf(path).part);

describe('the place of a module', () => {
  it('is told within a layer, whatever the family calls it', () => {
    expect(
      parts(
        'model.layers.13.self_attn.q_proj',
        'transformer.h.3.attn.c_attn',
        'bert.encoder.layer.3.attention.output.dense',
        'model.layers.2.linear_attn.in_proj_qkvz',
      ),
    ).toEqual(['attention', 'attention', 'attention', 'attention']);
    expect(
      parts(
        'model.layers.13.mlp.down_proj',
        'transformer.h.3.mlp.c_fc',
        'decoder.layers.3.fc2',
        'bert.encoder.layer.3.output.dense',
        'encoder.block.3.layer.1.DenseReluDense.wi',
        'distilbert.transformer.layer.0.ffn.lin1',
      ),
    ).toEqual(Array.from({ length: 6 }, () => 'feed-forward'));
    expect(
      parts(
        'model.layers.0.mlp.gate',
        'model.layers.0.mlp.experts',
        'model.layers.0.mlp.gate_proj',
        'model.decoder.layers.1.encoder_attn.k_proj',
        'decoder.block.2.layer.1.EncDecAttention.q',
        'backbone.layers.3.mixer.in_proj',
        'model.layers.4.post_attention_layernorm',
        'transformer.h.3.ln_1',
        'model.layers.4',
      ),
    ).toEqual([
      'router',
      'experts',
      'feed-forward',
      'cross-attention',
      'cross-attention',
      'mixer',
      'norm',
      'norm',
      'block',
    ]);
  });

  it('is told outside of the layers', () => {
    expect(
      parts(
        'loss',
        'lm_head',
        'lm_head.decoder.weight',
        'cls.predictions.decoder',
        'score',
        'cls_classifier',
        'visual_projection',
        'model.embed_tokens.weight',
        'transformer.wte',
        'transformer.wpe',
        'vit.embeddings.patch_embeddings.projection.bias',
        'model.multi_modal_projector.linear_1',
        'model.visual.merger.linear_fc1',
        'model.norm',
        'clip_grad_norm_',
        'adamw-fused',
        'model',
        '',
      ),
    ).toEqual([
      'loss',
      'output-layer',
      'output-layer',
      'output-layer',
      'classifier',
      'classifier',
      'connector',
      'token-embedding',
      'token-embedding',
      'position-embedding',
      'patch-embedding',
      'connector',
      'connector',
      'norm',
      'clipping',
      'optimizer',
      'model',
      'unknown',
    ]);
  });

  it('names the layer as the path counts it, and the stack where there are several', () => {
    expect(placeOf('model.layers.13.mlp')).toEqual({ part: 'feed-forward', tower: null, layer: '13' });
    expect(placeOf('encoder.block.3.layer.1.DenseReluDense.wo')).toEqual({
      part: 'feed-forward',
      tower: 'encoder',
      layer: '3',
    });
    expect(placeOf('swin.encoder.layers.1.blocks.3.mlp.fc1')).toMatchObject({ layer: '1.3' });
    expect(placeOf('model.vision_tower.encoder.layer.2.attention.q_proj')).toEqual({
      part: 'attention',
      tower: 'vision',
      layer: '2',
    });
    expect(placeOf('model.audio_tower.layers.0.fc1')).toMatchObject({ tower: 'audio', layer: '0' });
    expect(placeOf('model.layers.3.mlp.experts.7.w1')).toMatchObject({ part: 'experts', layer: '3' });
  });

  it('is the exchange where shards are put together or summed', () => {
    expect(placeOf('all-gather model.layers.3')).toEqual({ part: 'gather', tower: null, layer: '3' });
    expect(placeOf('all-gather')).toEqual({ part: 'gather', tower: null, layer: null });
    expect(placeOf('reduce-scatter model.decoder.layers.0')).toEqual({
      part: 'reduce',
      tower: 'decoder',
      layer: '0',
    });
  });

  it('is a step of DataParallel between the cards', () => {
    expect(parts('replicate', 'reduce_add_coalesced', 'receive')).toEqual([
      'replicas',
      'summed-gradients',
      'received',
    ]);
  });

  it('is answered for any text', () => {
    fc.assert(
      fc.property(fc.string(), (path) => {
        const { layer, part } = placeOf(path);
        expect(part).not.toBe('');
        if (layer !== null) expect(layer).toMatch(/^\d+(?:\.\d+)*$/);
      }),
    );
  });
});
