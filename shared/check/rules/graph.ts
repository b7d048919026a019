import { message } from '../../i18n/message';
import type { Call, PythonScript } from '../python/script';
import { above, childrenOf, descendants, isInside, type SyntaxNode } from '../python/tree';
import { at, type PythonRule } from './pythonRule';

const noGradients = new Set([
  'torch.no_grad',
  'torch.inference_mode',
  'torch.set_grad_enabled',
  'torch.autograd.no_grad',
]);
const detached = /\.(item|detach|cpu\(\)\.numpy|tolist|numpy)\s*\(|^float\(|^int\(/;
const evaluates =
  /^(_?(run_)?(eval|evaluate|evaluation|validate|validation|val|test|predict|inference|infer|generate)(_|$))/i;
const lossName = /(^|_|\.)loss(es)?$/i;

/** Variables that hold a loss with its graph: what `.backward()` is called on, and what is named like one. */
function lossVariables(script: PythonScript): ReadonlySet<string> {
  const names = new Set<string>();
  for (const call of script.methods('backward'))
    if (call.object !== null) names.add(rootName(script, call.object));
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

function isModelCall(script: PythonScript, call: Call): boolean {
  return (
    /^(self\.)?(\w*_)?(model|net|network|module|encoder|decoder|generator|backbone|unet|vae|ddp_model|fsdp_model)$/i.test(
      call.written,
    ) && script.text(call.node) !== ''
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
          usesUndetached(script, childrenOf(node)[2] ?? node, names),
      );
      const kept = script
        .methods('append', 'extend')
        .filter(
          (call) =>
            inTrainingLoop(script, call.node) &&
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
            script.loopOf(call.node) !== null &&
            !script.isUnder(call.node, noGradients) &&
            !isForward(script, call),
        )
        .filter((call) =>
          call.positional.some(
            (value) =>
              value.name === 'VariableName' &&
              outputs.has(script.text(value)) &&
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
              !script.isUnder(call.node, noGradients),
          );
          return first === undefined ? [] : [at(first)];
        }),
  },
  {
    rule: 'no-grad-missing-after-eval',
    severity: 'warning',
    message: message('check.evalLoop'),
    why: message('check.noNoGradWhy'),
    better: 'model.eval()\nwith torch.no_grad():\n    for x, y in val_loader: …',
    hits: (script) =>
      script
        .methods('eval')
        .filter((call) => call.positional.length === 0 && call.object !== null)
        .flatMap((call) => {
          const loop = nextLoop(call.node);
          const inEvaluation = script.functionOf(call.node);
          if (loop === null || (inEvaluation !== null && evaluates.test(script.functionName(inEvaluation))))
            return [];
          const forward = script.calls.find((one) => isInside(one.node, loop) && isModelCall(script, one));
          const isTraining = script.methods('backward').some((one) => isInside(one.node, loop));
          return forward === undefined || isTraining || script.isUnder(forward.node, noGradients)
            ? []
            : [at(forward)];
        }),
  },
  {
    rule: 'no-zero-grad',
    severity: 'error',
    message: message('check.noZeroGrad'),
    why: message('check.noZeroGradWhy'),
    better: 'optimizer.zero_grad(set_to_none=True)',
    hits: (script) => {
      if (script.methods('zero_grad').length > 0 || /\.grad\s*=\s*None/.test(script.source)) return [];
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
  return script
    .methods('backward')
    .some((call) => call.object !== null && rootName(script, call.object) === name);
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
  return owner !== null && script.functionName(owner) === 'forward';
}
