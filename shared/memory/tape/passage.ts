/** Where backward enters a module and where it leaves it. */
import { hold, type Tape } from './tape';
import type { Tensor } from './tensor';

/** The module's input through a node that backward reaches when it is done with the module; itself where it needs no gradient. */
export function afterBackwardOf(tape: Tape, input: Tensor, hook: () => void): Tensor {
  const node = tape.record([input], [], (gradient) => {
    hook();
    return [gradient];
  });
  if (node === null) return input;
  const passed = hold(tape.share(input, input.shape));
  tape.attach(passed, node, 0);
  return passed;
}

/** `tensor.register_hook` on what the module returns. */
export function beforeBackwardOf({ node }: Tensor, hook: () => void): void {
  if (node !== null) node.hooks = [...(node.hooks ?? []), hook];
}
