import { inputBias, noBias } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { qwenWindows } from '../../model/windows';
import { windowed } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/** Qwen2: biases on query, key and value. */
export function readQwen2(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'qwen2',
    mixer: windowed(fields, { bias: inputBias }, qwenWindows(fields)),
  });
}

/** MiMo: Qwen2's code under a type of its own, with a switch for the biases. */
export function readQwen2Like(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'qwen2',
    mixer: windowed(
      fields,
      { bias: fields.flag('attention_bias', true) ? inputBias : noBias },
      qwenWindows(fields),
    ),
  });
}
