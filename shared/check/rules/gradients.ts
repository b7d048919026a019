import { once, onceEach } from '../python/once';
import { countBefore, firstInside } from '../python/ordered';
import type { Call, PythonScript } from '../python/script';
import { above, childrenOf, descendants, isInside, type SyntaxNode } from '../python/tree';

/** Questions of the rules on graphs: what holds a graph, what a loop does with it, and where none is made. */

/** PyTorch's own, and those that projects make of them (`smart_inference_mode`). */
const stopsGradients = (name: string): boolean =>
  /(?:^|[._])(?:no_grad|inference_mode)$/.test(name) || name === 'torch.set_grad_enabled';
const detached = /\.(item|detach|cpu\(\)\.numpy|tolist|numpy)\s*\(|^float\(|^int\(/;

/** Variables that hold a loss with its graph: what `.backward()` is called on, and what is named like one. */
export const lossVariables = once((script): ReadonlySet<string> => {
  const names = new Set(backwardNames(script));
  const results = new Map<SyntaxNode, number>();
  for (const { value } of script.assignments) results.set(value, (results.get(value) ?? 0) + 1);
  for (const { target, value } of script.assignments)
    if (
      // Of several results only the loss is one: the others are numbers to print.
      (results.get(value) === 1 || /loss/i.test(target)) &&
      value.name === 'CallExpression' &&
      makesLoss(script, value)
    )
      names.add(target);
  names.delete('');
  return names;
});

const makesLoss = onceEach(
  ({ from, to }: SyntaxNode) => `${from}-${to}`,
  (script, value) =>
    /criterion|loss|cross_entropy|mse|nll/i.test(script.makerOf(value) ?? script.text(value)) &&
    !detached.test(script.text(value)),
);

/** The variables that go backward. */
const backwardNames = once(
  (script): ReadonlySet<string> =>
    new Set(script.methods('backward').map((call) => backwardName(script, call))),
);

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
  loop !== null && firstInside(script.methods('backward'), loop) !== undefined;

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
  return backwardNames(script).has(target === undefined ? '' : script.text(target));
}

/** `style += part` is fine where `style` starts over in every step: it ends with its step. */
export function isSumOfOneStep(script: PythonScript, sum: SyntaxNode): boolean {
  const target = childrenOf(sum)[0];
  let loop = script.loopOf(sum);
  while (loop !== null && !trains(script, loop)) loop = script.loopOf(loop);
  if (target === undefined || loop === null) return false;
  const begins = firstBeginning(script, { name: script.text(target), step: loop });
  return begins !== null && begins < sum.from;
}

/** Where a step gives a variable its first value, whatever the step's conditions; null where it does not. */
const firstBeginning = onceEach(
  ({ name, step }: { readonly name: string; readonly step: SyntaxNode }) => `${step.from} ${name}`,
  (script, { name, step }) => {
    const depth = script.conditionsAround(step).length;
    const first = firstInside(
      script.assignmentsTo(name),
      step,
      ({ node }) => script.conditionsAround(node).length <= depth,
    );
    return first?.node.from ?? null;
  },
);

/** Under no_grad itself, in a function that is only called there, or in a script that turns gradients off. */
export function withoutGradients(script: PythonScript, node: SyntaxNode): boolean {
  if (script.isUnder(node, stopsGradients) || turnsGradientsOff(script)) return true;
  const owner = script.functionOf(node);
  return owner !== null && isOnlyCalledWithout(script, script.functionName(owner));
}

const isOnlyCalledWithout = onceEach(
  (name: string) => name,
  (script, name) => {
    const uses = script.callsOf(name);
    return uses.length > 0 && uses.every((use) => script.isUnder(use.node, stopsGradients));
  },
);

const turnsGradientsOff = once((script) =>
  script
    .callsTo('torch.set_grad_enabled')
    .some(
      (call) =>
        call.node.parent?.name === 'ExpressionStatement' &&
        script.text(call.positional[0] ?? call.node) === 'False',
    ),
);

/** A loop within training whose forwards all run without gradients. */
export function isEvaluationLoop(script: PythonScript, loop: SyntaxNode | null): boolean {
  return loop !== null && evaluatesOnly(script, loop);
}

const evaluatesOnly = onceEach(
  ({ from }: SyntaxNode) => from,
  (script, loop) => {
    if (trains(script, loop)) return false;
    const forwards = script.calls
      .slice(countBefore(script.calls, loop.from), countBefore(script.calls, loop.to))
      .filter((call) => isInside(call.node, loop) && isModelCall(script, call));
    return forwards.length > 0 && forwards.every((call) => withoutGradients(script, call.node));
  },
);

/** The first call of a model inside of a node; undefined where there is none. */
export const firstForward = onceEach(
  ({ from, to }: SyntaxNode) => `${from}-${to}`,
  (script, outer) => firstInside(script.calls, outer, (call) => isModelCall(script, call)),
);

/** A loop over encoders, layers or prompts has an end of its own; what it keeps is what the step is made of. */
export function isLoopOverSamples(script: PythonScript, node: SyntaxNode): boolean {
  const loop = script.loopOf(node);
  if (loop === null) return false;
  return !goesOverParts(script, loop);
}

const goesOverParts = onceEach(
  ({ from }: SyntaxNode) => from,
  (script, loop) =>
    /encoder|tokenizer|layer|block|models\b|prompt|heads?\b|stages?\b|level/i.test(
      script.source.slice(loop.from, loop.lastChild?.from ?? loop.to),
    ),
);

/** The first loop after a statement in the same body, with no `with` between. */
export function nextLoop(script: PythonScript, node: SyntaxNode): SyntaxNode | null {
  const statement = above(node, new Set(['ExpressionStatement']));
  const known = loopBehind(script);
  const passed: number[] = [];
  let next = statement?.nextSibling ?? null;
  for (; next !== null; next = next.nextSibling) {
    if (next.name === 'ForStatement' || next.name === 'WhileStatement' || next.name === 'WithStatement')
      break;
    if (known.has(next.from)) {
      next = known.get(next.from) ?? null;
      break;
    }
    passed.push(next.from);
  }
  const found = next === null || next.name === 'WithStatement' ? null : next;
  for (const from of passed) known.set(from, found);
  return found;
}

/** By the place of a statement that was passed on the way: what comes behind it. */
const loopBehind = once(() => new Map<number, SyntaxNode | null>());

/** Inside of a model's forward its own outputs are meant to keep their graph. */
export function isForward(script: PythonScript, call: Call): boolean {
  const owner = script.functionOf(call.node);
  return owner !== null && /forward/.test(script.functionName(owner));
}
