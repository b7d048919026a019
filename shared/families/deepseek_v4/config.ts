/**
 * DeepSeek V4: one key for all heads, of the width of a head; older tokens compressed four or 128 to one, by layer
 * (`compress_ratios`); several residual streams mixed around each branch.
 */
import type { FeedForward, Mixer } from '../../model/architecture';
import type { Backbone } from '../../model/backbone';
import { expertMixture, expertsNode, mixtralExperts } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import type { ModuleNode } from '../../model/modules';
import { group, indexBuffer, leaf, linear, norm, tensor, withBuffers } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { sharedMlp } from '../common/config/expertLayers';
import { llamaBlock } from '../common/config/llamaBlock';

interface Sizes {
  readonly hidden: number;
  readonly heads: number;
  readonly headDim: number;
  readonly queryRank: number;
  readonly indexHeads: number;
  readonly indexDim: number;
}

/**
 * Tokens that become one in layer `index`: 0 for a window only. Where the file lists nothing, the first two layers take the heavy kind,
 * then both take turns.
 */
function compressionOf(fields: ConfigFields): (index: number) => number {
  const ratios = fields.wholes('compress_ratios');
  const types = fields.names('layer_types');
  return (index) => {
    if (ratios !== null) return ratios[index] ?? 0;
    if (types === null) return index > 1 && index % 2 === 1 ? 4 : 128;
    switch (types[index]) {
      case 'compressed_sparse_attention':
        return 4;
      case 'heavily_compressed_attention':
        return 128;
      default:
        return 0;
    }
  };
}

/** DeepSeek V4 Flash and Pro. */
export function readDeepseekV4(fields: ConfigFields): Backbone {
  const sizes: Sizes = {
    hidden: fields.size('hidden_size'),
    heads: fields.size('num_attention_heads'),
    headDim: fields.size('head_dim'),
    queryRank: fields.size('q_lora_rank'),
    indexHeads: fields.sizeOr('index_n_heads', 64),
    indexDim: fields.sizeOr('index_head_dim', 128),
  };
  const ratioOf = compressionOf(fields);
  const hashed = fields.count('num_hash_layers', 3);
  const moe = expertMixture(fields, {
    routerScore: 'sigmoid',
    // One, whatever `n_shared_experts` says.
    shared: sharedMlp(fields, 1, fields.flag('mlp_bias', false)),
  });
  const streams = fields.sizeOr('hc_mult', 4);
  const base = llamaBlock(fields, {
    family: 'deepseek_v4',
    mixer: (index): Mixer => ({ kind: 'other', name: `compressed-attention-${String(ratioOf(index))}` }),
    feedForward: (index): FeedForward =>
      index < hashed ? { ...moe, routerScore: 'softmax-of-chosen' } : moe,
    positions: ropePositions(fields, fields.sizeOr('qk_rope_head_dim', 64), { share: 1 }),
    ownNode: (part, hidden) => {
      switch (part.kind) {
        case 'other':
          return attentionNode(fields, sizes, Number(part.name.split('-').at(-1)));
        case 'experts':
          return part.routerScore === 'softmax-of-chosen'
            ? hashRouted(expertsNode(part, hidden, mixtralExperts), fields)
            : expertsNode(part, hidden, { ...mixtralExperts, correction: 'buffer' });
        default:
          return null;
      }
    },
    beside: (_layer, hidden) => [
      hyperConnection('attn_hc', streams, hidden),
      hyperConnection('ffn_hc', streams, hidden),
    ],
  });
  const head = leaf('hc_head', 'other', [
    tensor('hc_fn', streams, streams * sizes.hidden),
    tensor('hc_base', streams),
    tensor('hc_scale', 1),
  ]);
  return { ...base, children: [...base.children, head] };
}

/** The first layers choose experts by a table of tokens. */
function hashRouted(node: ModuleNode, fields: ConfigFields): ModuleNode {
  const table = indexBuffer('tid2eid', fields.size('vocab_size'), fields.sizeOr('num_experts_per_tok', 6));
  return {
    ...node,
    children: node.children.map((child) => (child.name === 'gate' ? withBuffers(child, [table]) : child)),
  };
}

/** What mixes the residual streams before and after a branch. */
function hyperConnection(name: string, streams: number, hidden: number): ModuleNode {
  const outputs = (2 + streams) * streams;
  return leaf(name, 'other', [
    tensor('fn', outputs, streams * hidden),
    tensor('base', outputs),
    tensor('scale', 3),
  ]);
}

function attentionNode(fields: ConfigFields, sizes: Sizes, ratio: number): ModuleNode {
  const { hidden, heads, headDim, queryRank } = sizes;
  const groups = fields.sizeOr('o_groups', 8);
  const rank = fields.sizeOr('o_lora_rank', 1024);
  return group(
    'self_attn',
    [
      linear('q_a_proj', hidden, queryRank),
      norm('q_a_norm', queryRank, rmsNorm),
      linear('q_b_proj', queryRank, heads * headDim),
      linear('kv_proj', hidden, headDim),
      norm('kv_norm', headDim, rmsNorm),
      linear('o_a_proj', Math.floor((heads * headDim) / groups), groups * rank),
      linear('o_b_proj', groups * rank, hidden),
      ratio === 0 ? null : compressor(sizes, ratio),
    ],
    [tensor('sinks', heads)],
  );
}

/** Up to 16 tokens to one, two overlapping halves are kept and an indexer chooses among them. */
function compressor(sizes: Sizes, ratio: number): ModuleNode {
  const { hidden, headDim, queryRank, indexHeads, indexDim } = sizes;
  const isSparse = ratio <= 16;
  const parts = (width: number, size: number): ModuleNode[] => [
    linear('kv_proj', hidden, width),
    linear('gate_proj', hidden, width),
    norm('kv_norm', size, rmsNorm),
  ];
  const width = isSparse ? 2 * headDim : headDim;
  const indexer = group(
    'indexer',
    [
      ...parts(2 * indexDim, indexDim),
      linear('q_b_proj', queryRank, indexHeads * indexDim),
      group('scorer', [linear('weights_proj', hidden, indexHeads)]),
    ],
    [tensor('position_bias', ratio, 2 * indexDim)],
  );
  return group(
    'compressor',
    [...parts(width, headDim), isSparse ? indexer : null],
    [tensor('position_bias', ratio, width)],
  );
}
