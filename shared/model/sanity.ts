/** Whether a module tree can be that of a model at all, before anything counts or plays it. */
import { message } from '../i18n/message';
import type { ModuleNode } from './modules';
import { Refusal } from './refusal';

/** More than ten times what the largest published models have when each expert is a module. */
const maxTensors = 400_000;

/**
 * Throws a Refusal where the shape of a parameter or buffer has a side that is no whole number from 1 up (sizes that do not fit together, such as
 * more groups than channels), or where there are absurdly many tensors.
 */
export function checkTree(root: ModuleNode): void {
  let tensors = 0;
  const visit = (node: ModuleNode, path: string): void => {
    for (const { name, shape } of [...node.parameters, ...node.buffers]) {
      tensors++;
      if (shape.every((side) => Number.isSafeInteger(side) && side >= 1)) continue;
      throw new Refusal(
        message('model.sizesDisagree', { tensor: `${path}${name}`, shape: `[${shape.join(', ')}]` }),
      );
    }
    if (tensors > maxTensors) throw new Refusal(message('model.tooManyTensors', { limit: maxTensors }));
    for (const child of node.children) visit(child, `${path}${child.name}.`);
  };
  visit(root, '');
}
