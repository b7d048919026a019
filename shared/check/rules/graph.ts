import { message } from '../../i18n/message';
import { firstInside } from '../python/ordered';
import { childrenOf } from '../python/tree';
import {
  backwardOn,
  firstForward,
  inTrainingLoop,
  isEvaluationLoop,
  isForward,
  isLoopOverSamples,
  isModelCall,
  isSumOfOneStep,
  lossVariables,
  modelName,
  nextLoop,
  usesUndetached,
  withoutGradients,
} from './gradients';
import { at, isTestOfCode, type PythonRule } from './pythonRule';

const evaluates =
  /^(_?(run_)?(eval|evaluate|evaluation|validate|validation|val|test|predict|inference|infer|generate)(_|$))/i;
const lossName = /(^|_|\.)loss(es)?$/i;

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
          if (firstInside(script.methods('backward'), definition) !== undefined) return [];
          const first = firstInside(
            script.calls,
            definition,
            (call) =>
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
          const loop = nextLoop(script, call.node);
          const inEvaluation = script.functionOf(call.node);
          if (loop === null || (inEvaluation !== null && evaluates.test(script.functionName(inEvaluation))))
            return [];
          const forward = firstForward(script, loop);
          const isTraining = firstInside(script.methods('backward'), loop) !== undefined;
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

const frameworks = /\b(torch|lightning|transformers|accelerate|deepspeed)\b/;

/** Words such as `model` and `test` mean something else in scripts that do not train. */
export const graphRules: readonly PythonRule[] = rules.map((rule) => ({
  ...rule,
  hits: (script) => (frameworks.test(script.source) ? rule.hits(script) : []),
}));
