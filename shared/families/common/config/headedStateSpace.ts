/** The mixer of Mamba 2, which several families take in under names of their own. */
import type { StateSpace } from '../../../model/architecture';
import type { ModuleNode } from '../../../model/modules';
import { convolution, group, linear, norm, tensor } from '../../../model/nodes';
import { rmsNorm } from '../../../model/norms';

/** A state space of heads, which Mamba 2 has. */
export interface HeadedStateSpace extends StateSpace {
  readonly heads: number;
  readonly groups: number;
}

/** Elements that pass the convolution: the inner state and both state maps of each group. */
export const mixedSize = ({ groups, innerSize, stateSize }: HeadedStateSpace): number =>
  innerSize + 2 * groups * stateSize;

interface Mamba2Style {
  readonly module: string;
  readonly bias: { readonly convolution: boolean; readonly input: boolean; readonly output: boolean };
  /** A norm before the output projection. */
  readonly hasNorm: boolean;
}

/** One projection gives gate, input, both state maps and the step of each head. */
export function mamba2Node(
  facts: HeadedStateSpace,
  hiddenSize: number,
  { module, bias, hasNorm }: Mamba2Style,
): ModuleNode {
  const { heads, innerSize, convolutionWidth } = facts;
  const mixed = mixedSize(facts);
  return group(
    module,
    [
      convolution('conv1d', 1, mixed, [convolutionWidth], bias.convolution),
      linear('in_proj', hiddenSize, innerSize + mixed + heads, bias.input),
      hasNorm ? norm('norm', innerSize, rmsNorm) : null,
      linear('out_proj', innerSize, hiddenSize, bias.output),
    ],
    [tensor('dt_bias', heads), tensor('A_log', heads), tensor('D', heads)],
  );
}
