/** Where peft puts low-rank adapters, known from the inventory alone. */
import type { Architecture } from '../../model/architecture';
import { type ParameterTensor, parameterTensors } from '../../model/inventory';
import { elements, type Shape } from '../tape/tensor';

/** One adapter and the shapes of its two matrices. */
export interface AdapterPlan {
  readonly modulePath: string;
  /** Null: around a linear layer; else the name of the stacked or plain parameter that is adapted. */
  readonly parameter: string | null;
  /** Matrices in a stacked parameter, each with adapters of its own; else 1. */
  readonly experts: number;
  readonly down: Shape;
  readonly up: Shape;
}

/** Names of modules (`q_proj`) or ends of their paths, or all linear layers but the output layer. */
export type AdapterTargets = readonly string[] | 'all-linear';

/** One plan for each wrapped layer and each adapted parameter, each in the model's order. */
export function adapterPlans(
  architecture: Architecture,
  rank: number,
  targets: AdapterTargets,
): readonly AdapterPlan[] {
  const stacked = stackedTargets(architecture);
  const names = targets === 'all-linear' ? Object.keys(stacked) : targets;
  const parameters = new Map(
    names.flatMap((name) => {
      const parameter = stacked[name.split('.').at(-1) ?? ''];
      return parameter === undefined
        ? []
        : [[parameter, parameter === joinedParameter ? 2 * rank : rank] as const];
    }),
  );
  return [
    ...linearPlans(architecture, rank, targets).filter(
      ({ modulePath }) => stacked[modulePath.split('.').at(-1) ?? ''] === undefined,
    ),
    ...parameterTensors(architecture).flatMap((tensor) => parameterPlan(tensor, parameters)),
  ];
}

/** The plans around linear layers alone, as they are for models without stacked experts. */
export function linearPlans(
  architecture: Architecture,
  rank: number,
  targets: AdapterTargets,
): readonly AdapterPlan[] {
  return linearWeights(architecture)
    .filter((weight) =>
      targets === 'all-linear'
        ? !isOutputLayer(architecture, weight)
        : targets.some((target) => endsWith(weight.modulePath, target)),
    )
    .map(({ module, modulePath, shape }) => {
      const [first = 0, second = 0] = shape;
      const [inner, outer] = module === 'conv1d' ? [first, second] : [second, first];
      return { modulePath, parameter: null, experts: 1, down: [rank, inner], up: [outer, rank] };
    });
}

const joinedParameter = 'gate_up_proj';

/** What were linear layers before transformers 5 stacked experts, and the parameters that hold them now. */
const mixtralTargets: Readonly<Record<string, string>> = {
  gate: 'gate.weight',
  w1: joinedParameter,
  w3: joinedParameter,
  w2: 'down_proj',
};
const qwenTargets: Readonly<Record<string, string>> = {
  gate: 'gate.weight',
  gate_proj: joinedParameter,
  up_proj: joinedParameter,
  down_proj: 'down_proj',
};

const mixtralTypes = new Set(['mixtral', 'minimax', 'minimax_m2']);
const qwenTypes = new Set([
  'afmoe',
  'deepseek_v2',
  'deepseek_v3',
  'deepseek_v32',
  'dots1',
  'ernie4_5_moe',
  'glm4_moe',
  'glm4_moe_lite',
  'glm_moe_dsa',
  'glm4v_moe',
  'longcat_flash',
  'solar_open',
  'mellum',
  'qwen3_moe',
  'qwen3_omni_moe',
  'qwen3_omni_moe_thinker',
  'qwen3_next',
  'hunyuan_v1_moe',
  'flex_olmo',
  'olmoe',
  'exaone_moe',
  'cohere2_moe',
]);

/**
 * For these model types peft takes the old names of experts and router, also in `all-linear`, as their stacked parameters, the joined
 * one with twice the rank; linear layers of the same names are then left out.
 * https://github.com/huggingface/peft/blob/v0.20.0/src/peft/utils/transformers_weight_conversion.py
 * The types: https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/conversion_mapping.py
 */
function stackedTargets({ modelType }: Architecture): Readonly<Record<string, string>> {
  if (modelType === null) return {};
  if (mixtralTypes.has(modelType)) return mixtralTargets;
  return qwenTypes.has(modelType) ? qwenTargets : {};
}

function parameterPlan(
  { name, modulePath, shape, tiedTo }: ParameterTensor,
  parameters: ReadonlyMap<string, number>,
): AdapterPlan[] {
  const own = name.slice(modulePath.length + 1);
  const rank = [...parameters].find(([target]) => endsWith(name, target))?.[1];
  if (rank === undefined || tiedTo !== null || shape.length < 2 || shape.length > 3) return [];
  const [experts, outer, inner] = shape.length === 3 ? shape : [1, ...shape];
  if (experts === undefined || outer === undefined || inner === undefined) return [];
  return [
    {
      modulePath,
      parameter: own,
      experts,
      down: [rank * experts, inner],
      up: [outer, rank * experts],
    },
  ];
}

/** Elements of all adapters together. */
export function adapterElements(plans: readonly AdapterPlan[]): number {
  return plans.reduce((sum, { down, up }) => sum + elements(down) + elements(up), 0);
}

/** The targets that name no linear layer of the model. */
export function missingTargets(architecture: Architecture, targets: AdapterTargets): readonly string[] {
  if (targets === 'all-linear') return [];
  const paths = linearWeights(architecture).map(({ modulePath }) => modulePath);
  const stacked = stackedTargets(architecture);
  return targets.filter(
    (target) =>
      stacked[target.split('.').at(-1) ?? ''] === undefined && !paths.some((path) => endsWith(path, target)),
  );
}

/** Last parts of the paths of all linear layers, each once: what a target may be called. */
export function targetNames(architecture: Architecture): readonly string[] {
  const layers = linearWeights(architecture).map(({ modulePath }) => modulePath.split('.').pop() ?? '');
  return [...new Set([...layers, ...Object.keys(stackedTargets(architecture))])];
}

const endsWith = (path: string, target: string): boolean => path === target || path.endsWith(`.${target}`);

function linearWeights(architecture: Architecture): readonly ParameterTensor[] {
  return parameterTensors(architecture).filter(
    ({ module, name, modulePath }) =>
      (module === 'linear' || module === 'conv1d') && name === `${modulePath}.weight`,
  );
}

/**
 * peft's `all-linear` leaves out `get_output_embeddings()` and classification heads: linear layers outside of the blocks whose
 * outputs are the vocabulary or the labels.
 * https://github.com/huggingface/peft/blob/v0.20.0/src/peft/tuners/tuners_utils.py
 */
function isOutputLayer({ head }: Architecture, { blockPath, shape }: ParameterTensor): boolean {
  if (blockPath !== null) return false;
  if (head.kind === 'language-model') return shape[0] === head.vocabularySize;
  return head.kind === 'classifier' && shape[0] === head.labels;
}
