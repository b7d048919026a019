import { describe, expect, it } from 'vitest';
import { translate, type Locale } from '../../../../../shared/i18n/translate';
import type { Phase } from '../../../../../shared/memory/tape/marks';
import { momentWords, peakReason } from '../../../../../shared/memory/view/words';

const words = (locale: Locale, phase: Phase, at: string) =>
  momentWords({ at, phase }, (text) => translate(locale, text));

describe('the moment of a peak in words', () => {
  it('is named as people would name it', () => {
    expect(words('en', 'backward', 'loss')).toBe('logits of the loss, backward');
    expect(words('en', 'forward', 'lm_head')).toBe('output layer, forward');
    expect(words('en', 'backward', 'model.layers.13.self_attn')).toBe('attention, layer 13, backward');
    expect(words('en', 'forward', 'model.vision_tower.layers.2.mlp.fc1')).toBe(
      'feed-forward, layer 2 of the vision tower, forward',
    );
    expect(words('en', 'backward', 'model.layers.4')).toBe('layer 4, backward');
    expect(words('en', 'backward', 'decoder.layers.4')).toBe('layer 4 of the decoder, backward');
    expect(words('en', 'backward', 'model.embed_tokens.weight')).toBe('token embedding, backward');
    expect(words('en', 'backward', 'encoder.embed_tokens')).toBe('token embedding of the encoder, backward');
    expect(words('en', 'forward', 'all-gather model.layers.0')).toBe('gathered weights, layer 0, forward');
    expect(words('en', 'forward', '')).toBe('forward');
    expect(words('en', 'optimizer', 'adamw')).toBe('optimizer');
    expect(words('en', 'clip', 'clip_grad_norm_')).toBe('gradient clipping');
    expect(words('en', 'zero_grad', 'adamw')).toBe('zero_grad');
  });

  it('is natural Chinese', () => {
    expect(words('zh-CN', 'backward', 'loss')).toBe('反向，损失的 logits');
    expect(words('zh-CN', 'backward', 'model.layers.13.self_attn')).toBe('反向，层 13 的注意力');
    expect(words('zh-CN', 'forward', 'model.vision_tower.layers.2.mlp.fc1')).toBe(
      '前向，视觉塔层 2 的前馈网络',
    );
    expect(words('zh-CN', 'optimizer', 'adamw')).toBe('优化器更新');
  });
});

describe('the reason of a peak', () => {
  const key = (phase: Phase, at: string, checkpointing: 'none' | 'full' = 'none') =>
    peakReason({ at, phase }, checkpointing).key;

  it('follows from when and where it is', () => {
    expect(key('forward', 'loss')).toBe('planStep.whyLossForward');
    expect(key('backward', 'loss')).toBe('planStep.whyLossBackward');
    expect(key('backward', 'model.embed_tokens.weight')).toBe('planStep.whyEmbeddingBackward');
    expect(key('backward', 'model.layers.3.mlp')).toBe('planStep.whyLayerBackward');
    expect(key('backward', 'model.layers.3.mlp', 'full')).toBe('planStep.whyLayerRecomputed');
    expect(key('forward', 'model.layers.3.mlp', 'full')).toBe('planStep.whyLayerForwardCheckpointed');
    expect(key('forward', 'all-gather model.layers.3')).toBe('planStep.whyGather');
    expect(key('backward', 'reduce-scatter model.layers.3')).toBe('planStep.whyReduce');
    expect(key('optimizer', 'adamw')).toBe('planStep.whyOptimizer');
    expect(key('backward', 'model.norm')).toBe('planStep.whyOther');
  });
});
