import { message } from '../../i18n/message';
import type { Call, PythonScript } from '../python/script';
import { above, childrenOf, descendants, isInside, type SyntaxNode } from '../python/tree';
import { at, isTestOfCode, type PythonRule } from './pythonRule';

/** PyTorch's own, and those that projects make of them (`smart_inference_mode`). */
const stopsGradients = (name: string): boolean =>
  /(?:^|[._])(?:no_grad|inference_mode)$/.test(name) || name === 'torch.set_grad_enabled';
const detached = /\.(item|detach|cpu\(\)\.numpy|tolist|numpy)\s*\(|^float\(|^int\(/;
const evaluates =
  /^(_?(run_)?(eval|evaluate|evaluation|validate|validation|val|test|predict|inference|infer|generate)(_|$))/i;
const lossName = /(^|_|\.)loss(es)?$/i;

/** Variables that hold a loss with its graph: what `.backward()` is called on, and what is named like one. */
function lossVariables(script: PythonScript): ReadonlySet<string> {
  const names = new Set<string>();
  for (const call of script.methods('backward')) names.add(backwardName(script, call));
  for (const { target, value } of script.assignments)
    if (
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

function usesUndetached(script: PythonScript, node: SyntaxNode, names: ReadonlySet<string>): boolean {
  if (detached.test(script.text(node))) return false;
  return descendants(node).some(
    (one) =>
      one.name === 'VariableName' && names.has(script.text(one)) && one.parent?.name !== 'MemberExpression',
  );
}

const trains = (script: PythonScript, loop: SyntaxNode | null): boolean =>
  loop !== null && script.methods('backward').some((call) => isInside(call.node, loop));

/** Loops around a node, from the inside out, within its function. */
function inTrainingLoop(script: PythonScript, node: SyntaxNode): boolean {
  for (let loop = script.loopOf(node); loop !== null; loop = script.loopOf(loop))
    if (trains(script, loop)) return true;
  return false;
}

const modelName =
  /^(self\.)?(\w*_)?(model|net|network|module|encoder|decoder|generator|backbone|unet|vae|ddp_model|fsdp_model)$/i;

/** A call of a module by its usual name; `load_model` and other functions end alike and are none. */
function isModelCall(script: PythonScript, call: Call): boolean {
  return (
    modelName.test(call.written) &&
    !script.imports.has(call.written) &&
    !script.functionNames.has(call.written.replace(/^self\./, ''))
  );
}

const rules: readonly PythonRule[] = [
  {
    rule: 'losses-keep-graph',
    severity: 'error',
    message: message('check.lossesKeepGraph'),
    why: message('check.lossesKeepGraphWhy'),
    better: 'total_loss += loss.item()   # or loss.detach(), which does not wait for the card',
    hits: (script) => {
      const names = lossVariables(script);
      const sums = script.nodes.filter(
        (node) =>
          node.name === 'UpdateStatement' &&
          childrenOf(node)[1]?.name === 'UpdateOp' &&
          script.text(childrenOf(node)[1] ?? node) === '+=' &&
          inTrainingLoop(script, node) &&
          !backwardOn(script, childrenOf(node)[0]) &&
          !isSumOfOneStep(script, node) &&
          usesUndetached(script, childrenOf(node)[2] ?? node, names),
      );
      const kept = script
        .methods('append', 'extend')
        .filter(
          (call) =>
            inTrainingLoop(script, call.node) &&
            !isEvaluationLoop(script, script.loopOf(call.node)) &&
            call.positional.some((value) => usesUndetached(script, value, names)),
        );
      return [...sums.map(at), ...kept.map(at)];
    },
  },
  {
    rule: 'outputs-keep-graph',
    severity: 'warning',
    message: message('check.outputsKeepGraph'),
    why: message('check.outputsKeepGraphWhy'),
    better: 'outputs.append(output.detach().cpu())',
    hits: (script) => {
      const outputs = new Set(
        script.assignments.flatMap(({ target, value }) => {
          const call = script.callAt(value);
          return call !== null && isModelCall(script, call) ? [target] : [];
        }),
      );
      return script
        .methods('append')
        .filter(
          (call) =>
            isLoopOverSamples(script, call.node) &&
            !withoutGradients(script, call.node) &&
            !isForward(script, call),
        )
        .filter((call) =>
          call.positional.some(
            (value) =>
              value.name === 'VariableName' &&
              outputs.has(script.text(value)) &&
              !modelName.test(script.text(value)) &&
              !lossName.test(script.text(value)),
          ),
        )
        .map(at);
    },
  },
  {
    rule: 'evaluation-without-no-grad',
    severity: 'error',
    message: message('check.noNoGrad'),
    why: message('check.noNoGradWhy'),
    better: 'model.eval()\nwith torch.no_grad():\n    …',
    hits: (script) =>
      script.nodes
        .filter(({ name }) => name === 'FunctionDefinition')
        .filter((node) => evaluates.test(script.functionName(node)))
        .flatMap((definition) => {
          if (script.methods('backward').some((call) => isInside(call.node, definition))) return [];
          const first = script.calls.find(
            (call) =>
              isInside(call.node, definition) &&
              isModelCall(script, call) &&
              // One forward alone keeps nothing once its function has returned.
              script.loopOf(call.node) !== null &&
              !withoutGradients(script, call.node),
          );
          return first === undefined || isTestOfCode(script) ? [] : [at(first)];
        }),
  },
  {
    rule: 'no-grad-missing-after-eval',
    severity: 'warning',
    message: message('check.evalLoop'),
    why: message('check.noNoGradWhy'),
    better: 'model.eval()\nwith torch.no_grad():\n    for x, y in val_loader: …',
    hits: (script) => {
      const forwards = script
        .methods('eval')
        .filter((call) => call.positional.length === 0 && call.object !== null)
        .flatMap((call) => {
          const loop = nextLoop(call.node);
          const inEvaluation = script.functionOf(call.node);
          if (loop === null || (inEvaluation !== null && evaluates.test(script.functionName(inEvaluation))))
            return [];
          const forward = script.calls.find((one) => isInside(one.node, loop) && isModelCall(script, one));
          const isTraining = script.methods('backward').some((one) => isInside(one.node, loop));
          return forward === undefined || isTraining || withoutGradients(script, forward.node)
            ? []
            : [forward];
        });
      // Several models may be set to eval before one loop.
      return [...new Set(forwards)].map(at);
    },
  },
  {
    rule: 'no-zero-grad',
    severity: 'error',
    message: message('check.noZeroGrad'),
    why: message('check.noZeroGradWhy'),
    better: 'optimizer.zero_grad(set_to_none=True)',
    hits: (script) => {
      if (script.methods('zero_grad').length > 0 || /\.grad\s*=\s*None/.test(script.source)) return [];
      // Gradients of torch.distributed.autograd live in the context of one step.
      if ([...script.imports.values()].some((name) => /^torch\.distributed\.autograd/.test(name))) return [];
      const steps = script
        .methods('step')
        .filter(
          (call) =>
            /optim|^opt$|scaler/i.test(script.text(call.object ?? call.node)) &&
            inTrainingLoop(script, call.node),
        );
      return steps.slice(0, 1).map(at);
    },
  },
  {
    rule: 'retain-graph',
    severity: 'warning',
    message: message('check.retainGraph'),
    why: message('check.retainGraphWhy'),
    better: 'loss.backward()   # sum the losses first where there are several',
    hits: (script) =>
      script
        .methods('backward')
        .filter(
          (call) =>
            script.text(call.keywords.get('retain_graph') ?? call.node) === 'True' &&
            script.loopOf(call.node) !== null,
        )
        .map(at),
  },
];

/** `loss += part` is fine where the sum itself is what goes backward. */
function backwardOn(script: PythonScript, target: SyntaxNode | undefined): boolean {
  const name = target === undefined ? '' : script.text(target);
  return script.methods('backward').some((call) => backwardName(script, call) === name);
}

/** `style += part` is fine where `style` begins anew in every step: it ends with its step. */
function isSumOfOneStep(script: PythonScript, sum: SyntaxNode): boolean {
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
function withoutGradients(script: PythonScript, node: SyntaxNode): boolean {
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
function isEvaluationLoop(script: PythonScript, loop: SyntaxNode | null): boolean {
  if (loop === null || trains(script, loop)) return false;
  const forwards = script.calls.filter((call) => isInside(call.node, loop) && isModelCall(script, call));
  return forwards.length > 0 && forwards.every((call) => withoutGradients(script, call.node));
}

/** A loop over encoders, layers or prompts has an end of its own; what it keeps is what the step is made of. */
function isLoopOverSamples(script: PythonScript, node: SyntaxNode): boolean {
  const loop = script.loopOf(node);
  if (loop === null) return false;
  const head = script.source.slice(loop.from, childrenOf(loop).at(-1)?.from ?? loop.to);
  return !/encoder|tokenizer|layer|block|models\b|prompt|heads?\b|stages?\b|level/i.test(head);
}

/** The first loop after a statement in the same body. */
function nextLoop(node: SyntaxNode): SyntaxNode | null {
  const statement = above(node, new Set(['ExpressionStatement']));
  for (let next = statement?.nextSibling ?? null; next !== null; next = next.nextSibling) {
    if (next.name === 'ForStatement' || next.name === 'WhileStatement') return next;
    if (next.name === 'WithStatement') return null;
  }
  return null;
}

const frameworks = /\b(torch|lightning|transformers|accelerate|deepspeed)\b/;

/** Words such as `model` and `test` mean something else in scripts that do not train. */
export const graphRules: readonly PythonRule[] = rules.map((rule) => ({
  ...rule,
  hits: (script) => (frameworks.test(script.source) ? rule.hits(script) : []),
}));

/** Inside of a model's forward its own outputs are meant to keep their graph. */
function isForward(script: PythonScript, call: Call): boolean {
  const owner = script.functionOf(call.node);
  return owner !== null && /forward/.test(script.functionName(owner));
}
