import { type AttentionNames, llamaAttention } from '../../../model/attention';

export const splitAttention: AttentionNames = {
  ...llamaAttention,
  output: 'out_proj',
  order: ['key', 'value', 'query', 'output'],
};
