/** Where peft puts low-rank adapters, known from the inventory alone. */
import type { Architecture } from '../../model/architecture';
import { type ParameterTensor, parameterTensors } from '../../model/inventory';
import { elements, type Shape } from '../tape/tensor';

export interface AdapterPlan {
  readonly modulePath: string;
  readonly down: Shape;
  readonly up: Shape;
}

/** Names of modules (`q_proj`) or ends of their paths, or all linear layers but the output layer. */
export type AdapterTargets = readonly string[] | 'all-linear';

/** One plan for each wrapped layer, in the model's order. */
export function adapterPlans(
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
      return { modulePath, down: [rank, inner], up: [outer, rank] };
    });
}

/** Elements of all adapters together. */
export function adapterElements(plans: readonly AdapterPlan[]): number {
  return plans.reduce((sum, { down, up }) => sum + elements(down) + elements(up), 0);
}

/** The targets that name no linear layer of the model. */
export function missingTargets(architecture: Architecture, targets: AdapterTargets): readonly string[] {
  if (targets === 'all-linear') return [];
  const paths = linearWeights(architecture).map(({ modulePath }) => modulePath);
  return targets.filter((target) => !paths.some((path) => endsWith(path, target)));
}

/** Last parts of the paths of all linear layers, each once: what a target may be called. */
export function targetNames(architecture: Architecture): readonly string[] {
  return [...new Set(linearWeights(architecture).map(({ modulePath }) => modulePath.split('.').pop() ?? ''))];
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
 * https://github.com/huggingface/peft/blob/v0.18.0/src/peft/tuners/tuners_utils.py
 */
function isOutputLayer({ head }: Architecture, { blockPath, shape }: ParameterTensor): boolean {
  if (blockPath !== null) return false;
  if (head.kind === 'language-model') return shape[0] === head.vocabularySize;
  return head.kind === 'classifier' && shape[0] === head.labels;
}
