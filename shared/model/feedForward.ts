/** The second half of a layer: MLPs and mixtures of experts, their facts from a config and their modules. */
import type { MixtureOfExperts, Mlp } from './architecture';
import type { ConfigFields } from './configFields';
import type { ModuleNode, OwnTensor } from './modules';
import { fp32Buffer, group, leaf, linear, tensor, withBuffers } from './nodes';

/** An MLP of the usual fields: gated, without bias, as wide as `intermediate_size`. */
export function gatedMlp(fields: ConfigFields, facts: Partial<Mlp> = {}): Mlp {
  return {
    kind: 'mlp',
    gated: true,
    width: facts.width ?? fields.size('intermediate_size'),
    activation: fields.text('hidden_act', 'silu'),
    bias: false,
    fused: false,
    ...facts,
  };
}

/** Names of the modules of an MLP. */
export interface MlpNames {
  readonly module: string;
  readonly gate: string;
  readonly up: string;
  readonly down: string;
  readonly fused: string;
}

/** llama's names. */
export const llamaMlp: MlpNames = {
  module: 'mlp',
  gate: 'gate_proj',
  up: 'up_proj',
  down: 'down_proj',
  fused: 'gate_up_proj',
};

/** The linear layers of an MLP in registration order. */
export function mlpLayers(
  mlp: Mlp,
  hiddenSize: number,
  names: MlpNames = llamaMlp,
  outputs: number = hiddenSize,
): readonly ModuleNode[] {
  const { width, bias } = mlp;
  const inner = mlp.fused
    ? [linear(names.fused, hiddenSize, 2 * width, bias)]
    : [
        ...(mlp.gated ? [linear(names.gate, hiddenSize, width, bias)] : []),
        linear(names.up, hiddenSize, width, bias),
      ];
  return [...inner, linear(names.down, width, outputs, bias)];
}

/** The module of an MLP. */
export function mlpNode(
  mlp: Mlp,
  hiddenSize: number,
  names: MlpNames = llamaMlp,
  outputs: number = hiddenSize,
): ModuleNode {
  return group(names.module, mlpLayers(mlp, hiddenSize, names, outputs));
}

/** Choice by groups as DeepSeek's files describe it. */
export const expertGroups = (
  fields: ConfigFields,
  count: number,
  chosen: number,
): MixtureOfExperts['groups'] => ({
  count: fields.sizeOr('n_group', count),
  chosen: fields.sizeOr('topk_group', chosen),
});

/** A mixture of the usual fields, as most files have them; experts are gated and stacked. */
export function expertMixture(fields: ConfigFields, facts: Partial<MixtureOfExperts> = {}): MixtureOfExperts {
  return {
    kind: 'experts',
    experts: facts.experts ?? fields.experts(),
    expertsPerToken: facts.expertsPerToken ?? fields.optionalSize('num_experts_per_tok'),
    expertWidth: facts.expertWidth ?? fields.size('moe_intermediate_size'),
    gated: true,
    activation: fields.text('hidden_act', 'silu'),
    bias: false,
    shared: null,
    dense: null,
    routerBias: false,
    routerScore: 'softmax',
    normalised: fields.flag('norm_topk_prob', true),
    groups: null,
    ...facts,
  };
}

/** Names of the modules of a mixture, and their order. */
export interface ExpertNames {
  readonly module: string;
  readonly router: string;
  readonly shared: string;
  readonly sharedGate: string;
  readonly order: readonly ('router' | 'experts' | 'shared' | 'sharedGate')[];
  /** Weights of gpt-oss are `[experts, inputs, outputs]`, all others' `[experts, outputs, inputs]`. */
  readonly inputsFirst: boolean;
  /**
   * A correction added to the scores for choosing only: a buffer of the router in most classes, of the block in
   * MiniMax M2, counted as a parameter in some.
   */
  readonly correction: 'none' | 'buffer' | 'block-buffer' | 'parameter';
}

/** Mixtral's names in transformers 5. */
export const mixtralExperts: ExpertNames = {
  module: 'mlp',
  router: 'gate',
  shared: 'shared_experts',
  sharedGate: 'shared_expert_gate',
  order: ['router', 'experts', 'shared', 'sharedGate'],
  inputsFirst: false,
  correction: 'none',
};

/** The module of a mixture of experts. */
export function expertsNode(
  moe: MixtureOfExperts,
  hiddenSize: number,
  names: ExpertNames = mixtralExperts,
): ModuleNode {
  const child = (part: ExpertNames['order'][number]): ModuleNode | null => {
    switch (part) {
      case 'router':
        return routerNode(moe, hiddenSize, names);
      case 'experts':
        return leaf('experts', 'expert', expertTensors(moe, hiddenSize, names.inputsFirst));
      case 'shared':
        return moe.shared === null
          ? null
          : mlpNode(moe.shared.mlp, hiddenSize, { ...llamaMlp, module: names.shared });
      case 'sharedGate':
        return moe.shared?.gate === true ? linear(names.sharedGate, hiddenSize, 1) : null;
    }
  };
  const node = group(names.module, names.order.map(child));
  return names.correction === 'block-buffer'
    ? withBuffers(node, [fp32Buffer('e_score_correction_bias', moe.experts)])
    : node;
}

function routerNode(moe: MixtureOfExperts, hiddenSize: number, names: ExpertNames): ModuleNode {
  const correction = 'e_score_correction_bias';
  const router = leaf(names.router, 'router', [
    tensor('weight', moe.experts, hiddenSize),
    ...(moe.routerBias ? [tensor('bias', moe.experts)] : []),
    ...(names.correction === 'parameter' ? [{ ...tensor(correction, moe.experts), frozen: true }] : []),
  ]);
  return names.correction === 'buffer' ? withBuffers(router, [fp32Buffer(correction, moe.experts)]) : router;
}

/** All experts of a layer as stacked parameters, as transformers 5 keeps them. */
function expertTensors(
  moe: MixtureOfExperts,
  hiddenSize: number,
  inputsFirst: boolean,
): readonly OwnTensor[] {
  const inner = moe.gated ? 2 * moe.expertWidth : moe.expertWidth;
  const up = moe.gated ? 'gate_up_proj' : 'up_proj';
  const weight = (name: string, inputs: number, outputs: number): OwnTensor =>
    inputsFirst ? tensor(name, moe.experts, inputs, outputs) : tensor(name, moe.experts, outputs, inputs);
  const bias = (name: string, outputs: number): readonly OwnTensor[] =>
    moe.bias ? [tensor(`${name}_bias`, moe.experts, outputs)] : [];
  return [
    weight(up, hiddenSize, inner),
    ...bias(up, inner),
    weight('down_proj', moe.expertWidth, hiddenSize),
    ...bias('down_proj', hiddenSize),
  ];
}
