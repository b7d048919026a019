/** Which models a family's code is for, where several families say it alike. */
import type { Stack } from '../../../model/architecture';
import type { ModuleNode } from '../../../model/modules';
import type { SupportFacts } from '../../declaration';

const isMasked = ({ head }: SupportFacts): boolean =>
  head.kind === 'language-model' && head.transform !== null;

/** Encoders are trained with their masked-language-model head or with a classifier. */
export const isTrainedEncoder = (facts: SupportFacts): boolean =>
  isMasked(facts) || facts.head.kind === 'classifier';

/** Whether every layer's MLP is two products with an activation between. */
export const hasPlainMlps = ({ layers }: Stack): boolean =>
  layers.every(({ feedForward }) => feedForward.kind === 'mlp' && !feedForward.gated);

/** Whether a convolution is anywhere in the model. */
export const hasConvolution = ({ children, kind }: ModuleNode): boolean =>
  kind === 'convolution' || children.some(hasConvolution);
