import { message } from '../../i18n/message';
import { at, isTestOfCode, usesCuda, type PythonRule } from './pythonRule';

export const memoryRules: readonly PythonRule[] = [
  {
    rule: 'empty-cache-in-loop',
    severity: 'warning',
    message: message('check.emptyCache'),
    why: message('check.emptyCacheWhy'),
    better: 'del outputs, loss   # what is still referenced is what takes memory',
    hits: (script) =>
      script
        .callsTo('torch.cuda.empty_cache')
        .filter((call) => script.loopOf(call.node) !== null && !isTestOfCode(script))
        .map(at),
  },
  {
    rule: 'checkpoint-without-use-reentrant',
    severity: 'warning',
    message: message('check.reentrant'),
    why: message('check.reentrantWhy'),
    better: 'checkpoint(block, x, use_reentrant=False)',
    hits: (script) =>
      script
        .callsTo('torch.utils.checkpoint.checkpoint', 'torch.utils.checkpoint.checkpoint_sequential')
        .filter((call) => !call.isOpen && !call.keywords.has('use_reentrant'))
        .map(at),
  },
  {
    rule: 'hidden-states-kept',
    severity: 'warning',
    message: message('check.hiddenStates'),
    why: message('check.hiddenStatesWhy'),
    better: 'model(**batch)   # without output_hidden_states and output_attentions',
    hits: (script) =>
      script.methods('backward').length === 0 ||
      /\.(hidden_states|attentions)\b|\[["'](hidden_states|attentions)["']\]/.test(script.source)
        ? [] // What is used has to be returned.
        : script.calls
            .filter(({ written }) => !/encoder|teacher/i.test(written))
            .filter((call) =>
              ['output_hidden_states', 'output_attentions'].some(
                (key) => script.text(call.keywords.get(key) ?? call.node) === 'True',
              ),
            )
            .map(at),
  },
  {
    rule: 'cache-while-training',
    severity: 'warning',
    message: message('check.useCache'),
    why: message('check.useCacheWhy'),
    better: 'model.config.use_cache = False',
    hits: (script) =>
      usesCuda(script) && script.methods('backward').length > 0
        ? script.assignments
            .filter(({ target, value }) => /\.use_cache$/.test(target) && script.text(value) === 'True')
            .map(({ node }) => at(node))
        : [],
  },
];
