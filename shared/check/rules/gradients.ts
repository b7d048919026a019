import type { Call, PythonScript } from '../python/script';
import { above, childrenOf, descendants, isInside, type SyntaxNode } from '../python/tree';

/** Questions of the rules on graphs: what holds a graph, what a loop does with it, and where none is made. */

/** PyTorch's own, and those that projects make of them (`smart_inference_mode`). */
const stopsGradients = (name: string): boolean =>
  /(?:^|[._])(?:no_grad|inference_mode)$/.test(name) || name === 'torch.set_grad_enabled';
const detached = /\.(item|detach|cpu\(\)\.numpy|tolist|numpy)\s*\(|^float\(|^int\(/;

/** Variables that hold a loss with its graph: what `.backward()` is called on, and what is named like one. */
export function lossVariables(script: PythonScript): ReadonlySet<string> {
  const names = new Set<string>();
  for (const call of script.methods('backward')) names.add(backwardName(script, call));
  const results = new Map<SyntaxNode, number>();
  for (const { value } of script.assignments) results.set(value, (results.get(value) ?? 0) + 1);
  for (const { target, value } of script.assignments)
    if (
      // Of several results only the loss is one: the others are numbers to print.
      (results.get(value) === 1 || /loss/i.test(target)) &&
      value.name === 'CallExpression' &&
      /(criterion|loss|cross_entropy|mse|nll)/i.test(script.makerOf(value) ?? script.text(value)) &&
      !detached.test(script.text(value))
    )
      names.add(target);
  names.delete('');
  return names;
}

/** The variable that goes backward: `loss.backward()`, or `accelerator.backward(loss)`. */
function backwardName(script: PythonScript, call: Call): string {
  const [loss] = call.positional;
  const byManager =
    call.object !== null && /accelerator|fabric|manager|self$|engine/i.test(script.text(call.object));
  const node = byManager && loss !== undefined ? loss : call.object;
  return node === null ? '' : rootName(script, node);
}

function rootName(script: PythonScript, node: SyntaxNode): string {
  if (node.name === 'VariableName') return script.text(node);
  if (node.name === 'CallExpression') {
    // scaler.scale(loss).backward()
    const list = childrenOf(node)[1];
    const inner =
      list === undefined ? undefined : childrenOf(list).find(({ name }) => name === 'VariableName');
    return inner === undefined ? '' : script.text(inner);
  }
  const first = descendants(node).find(({ name }) => name === 'VariableName');
  return first === undefined ? '' : script.text(first);
}

/** Whether an expression takes one of these variables itself, neither its number nor a copy without the graph. */
export function usesUndetached(script: PythonScript, node: SyntaxNode, names: ReadonlySet<string>): boolean {
  if (detached.test(script.text(node))) return false;
  return descendants(node).some(
    (one) =>
      one.name === 'VariableName' && names.has(script.text(one)) && one.parent?.name !== 'MemberExpression',
  );
}

const trains = (script: PythonScript, loop: SyntaxNode | null): boolean =>
  loop !== null && script.methods('backward').some((call) => isInside(call.node, loop));

/** Loops around a node, from the inside out, within its function. */
export function inTrainingLoop(script: PythonScript, node: SyntaxNode): boolean {
  for (let loop = script.loopOf(node); loop !== null; loop = script.loopOf(loop))
    if (trains(script, loop)) return true;
  return false;
}

/** What people call a model, as a whole name. */
export const modelName =
  /^(self\.)?(\w*_)?(model|net|network|module|encoder|decoder|generator|backbone|unet|vae|ddp_model|fsdp_model)$/i;

/** A call of a module by its usual name; `load_model` and other functions end alike and are none. */
export function isModelCall(script: PythonScript, call: Call): boolean {
  return (
    modelName.test(call.written) &&
    !script.imports.has(call.written) &&
    !script.functionNames.has(call.written.replace(/^self\./, ''))
  );
}

/** `loss += part` is fine where the sum itself is what goes backward. */
export function backwardOn(script: PythonScript, target: SyntaxNode | undefined): boolean {
  const name = target === undefined ? '' : script.text(target);
  return script.methods('backward').some((call) => backwardName(script, call) === name);
}

/** `style += part` is fine where `style` begins anew in every step: it ends with its step. */
export function isSumOfOneStep(script: PythonScript, sum: SyntaxNode): boolean {
  const target = childrenOf(sum)[0];
  let loop = script.loopOf(sum);
  while (loop !== null && !trains(script, loop)) loop = script.loopOf(loop);
  if (target === undefined || loop === null) return false;
  const step = loop;
  return script.assignments.some(
    (one) =>
      one.target === script.text(target) &&
      isInside(one.node, step) &&
      one.node.from < sum.from &&
      script.conditionsAround(one.node).length <= script.conditionsAround(step).length,
  );
}

/** Under no_grad itself, in a function that is only called there, or in a script that turns gradients off. */
export function withoutGradients(script: PythonScript, node: SyntaxNode): boolean {
  if (script.isUnder(node, stopsGradients) || turnsGradientsOff(script)) return true;
  const owner = script.functionOf(node);
  const uses = owner === null ? [] : script.callsOf(script.functionName(owner));
  return uses.length > 0 && uses.every((use) => script.isUnder(use.node, stopsGradients));
}

function turnsGradientsOff(script: PythonScript): boolean {
  return script
    .callsTo('torch.set_grad_enabled')
    .some(
      (call) =>
        call.node.parent?.name === 'ExpressionStatement' &&
        script.text(call.positional[0] ?? call.node) === 'False',
    );
}

/** A loop within training whose forwards all run without gradients. */
export function isEvaluationLoop(script: PythonScript, loop: SyntaxNode | null): boolean {
  if (loop === null || trains(script, loop)) return false;
  const forwards = script.calls.filter((call) => isInside(call.node, loop) && isModelCall(script, call));
  return forwards.length > 0 && forwards.every((call) => withoutGradients(script, call.node));
}

/** A loop over encoders, layers or prompts has an end of its own; what it keeps is what the step is made of. */
export function isLoopOverSamples(script: PythonScript, node: SyntaxNode): boolean {
  const loop = script.loopOf(node);
  if (loop === null) return false;
  const head = script.source.slice(loop.from, childrenOf(loop).at(-1)?.from ?? loop.to);
  return !/encoder|tokenizer|layer|block|models\b|prompt|heads?\b|stages?\b|level/i.test(head);
}

/** The first loop after a statement in the same body. */
export function nextLoop(node: SyntaxNode): SyntaxNode | null {
  const statement = above(node, new Set(['ExpressionStatement']));
  for (let next = statement?.nextSibling ?? null; next !== null; next = next.nextSibling) {
    if (next.name === 'ForStatement' || next.name === 'WhileStatement') return next;
    if (next.name === 'WithStatement') return null;
  }
  return null;
}

/** Inside of a model's forward its own outputs are meant to keep their graph. */
export function isForward(script: PythonScript, call: Call): boolean {
  const owner = script.functionOf(call.node);
  return owner !== null && /forward/.test(script.functionName(owner));
}
