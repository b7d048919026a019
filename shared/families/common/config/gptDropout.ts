import type { Stack } from '../../../model/architecture';
import type { ConfigFields } from '../../../model/configFields';

export const gptDropout = (fields: ConfigFields): Partial<Stack['dropout']> => ({
  embedding: fields.number('embd_pdrop', fields.number('embed_dropout', 0.1)),
  residual: fields.number('resid_pdrop', fields.number('resid_dropout', 0.1)),
});
