import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { floatBuffer, group, withBuffers } from '../../model/nodes';
import { bartDecoder, offsetRows } from '../common/config/bartDecoder';

/** XGLM: positions are sines, kept as a buffer. */
export function readXglm(fields: ConfigFields): Backbone {
  const rows = fields.sizeOr('max_position_embeddings', 2048);
  const sines = floatBuffer('weights', rows + offsetRows, fields.size('hidden_size'));
  return bartDecoder(fields, {
    family: 'xglm',
    positions: { kind: 'sinusoidal' },
    positionTable: withBuffers(group('embed_positions', []), [sines]),
    head: { base: 'model', name: 'lm_head' },
    dropout: fields.number('dropout', 0.1),
  });
}
