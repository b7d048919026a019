import { llamaAttention } from '../../../model/attention';

export const falconAttention = {
  ...llamaAttention,
  module: 'self_attention',
  fused: 'query_key_value',
  output: 'dense',
};
