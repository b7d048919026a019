import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { embedding } from '../../model/nodes';
import { bartDecoder, offsetRows } from '../common/config/bartDecoder';

/** BioGPT: positions are learned. */
export function readBioGpt(fields: ConfigFields): Backbone {
  const rows = fields.sizeOr('max_position_embeddings', 1024) + offsetRows;
  return bartDecoder(fields, {
    family: 'biogpt',
    positions: { kind: 'learned' },
    positionTable: embedding('embed_positions', rows, fields.size('hidden_size')),
    head: { base: 'biogpt', name: 'output_projection' },
    dropout: fields.number('hidden_dropout_prob', 0.1),
  });
}
