import { message } from '../../i18n/message';
import { once, onceEach } from '../python/once';
import type { Call, PythonScript } from '../python/script';
import { above, childrenOf, descendants, type SyntaxNode } from '../python/tree';
import { modelName } from './gradients';
import {
  at,
  hasManager,
  isDistributed,
  isLibraryHelper,
  isMoveToCard,
  usesCuda,
  type PythonRule,
} from './pythonRule';

const loaderName = 'torch.utils.data.DataLoader';
const samplers = ['torch.utils.data.distributed.DistributedSampler', 'torch.utils.data.DistributedSampler'];
const classes = new Set(['ClassDefinition']);

const loaders = (script: PythonScript): readonly Call[] =>
  script.callsTo(loaderName, 'torch.utils.data.dataloader.DataLoader');

/** A model that moves between phases is no batch. */
function isModule(script: PythonScript, { object }: Call): boolean {
  if (object === null) return false;
  const name = script.text(object);
  return modelName.test(name) || /^self\.(\w+_)?(ema|loss|criterion)$/i.test(name);
}

function lacks(call: Call, keyword: string): boolean {
  return !call.isOpen && !call.keywords.has(keyword);
}

/** Stages of a pipeline and shards of tensors work on the same samples: there nothing may be divided. */
function sharesSamples(script: PythonScript): boolean {
  const divided = [
    'torch.distributed.pipelining.PipelineStage',
    'torch.distributed.tensor.parallel.parallelize_module',
  ];
  return (
    script.callsTo(...divided).length > 0 || script.calls.some(({ keywords }) => keywords.has('tp_plan'))
  );
}

const isDatasetClass = onceEach(
  ({ from }: SyntaxNode) => from,
  (script, owner) => {
    const bases = childrenOf(owner).find(({ name }) => name === 'ArgList');
    return bases !== undefined && script.namesIn(bases).some((name) => /Dataset$/.test(name));
  },
);

/** The function of a class made from Dataset that a node is in; null elsewhere. */
function datasetMethod(script: PythonScript, node: SyntaxNode): string | null {
  const owner = above(node, classes);
  if (owner === null || !isDatasetClass(script, owner)) return null;
  const method = script.functionOf(node);
  return method === null ? null : script.functionName(method);
}

const wholeDataset =
  /^(x|y|X|Y|data|dataset|images?|labels?|inputs?|targets?|features)(_?(train|val|valid|test|all|data))?$|^(train|val|test)_?(x|y|data|dataset|images?|labels?|set|inputs?|targets?|features)$/;
const tableMakers =
  /^(torch\.(load|tensor|from_numpy|as_tensor|stack|cat|FloatTensor)|numpy\.load|pickle\.load)$/;
/** What reads a file, whatever its variable is called. */
const readers = /^(torch\.load|numpy\.load|pickle\.load)$/;

const parameterNames = onceEach(
  ({ from }: SyntaxNode) => from,
  (script, owner): ReadonlySet<string> => {
    const parameters = childrenOf(owner).find((child) => child.name === 'ParamList');
    return new Set(parameters === undefined ? [] : descendants(parameters).map((one) => script.text(one)));
  },
);

const isCalledInLoop = onceEach(
  (name: string) => name,
  (script, name) => script.callsOf(name).some((use) => script.loopOf(use.node) !== null),
);

/** A table that is handed to a function, or made in each step, is a batch. */
function isBatch(script: PythonScript, call: Call): boolean {
  const owner = script.functionOf(call.node);
  if (owner === null) return false;
  const name = script.functionName(owner);
  if (/batch|collate|sample/i.test(name) || isCalledInLoop(script, name)) return true;
  const names = parameterNames(script, owner);
  return descendants(call.object ?? call.node).some(
    (one) => one.name === 'VariableName' && names.has(script.text(one)),
  );
}

function readsWhole(script: PythonScript, object: SyntaxNode, maker: string): boolean {
  if (readers.test(maker)) return true;
  const [table] = script.callAt(object)?.positional ?? [];
  return maker === 'torch.from_numpy' && table !== undefined && wholeDataset.test(script.text(table));
}

export const dataRules: readonly PythonRule[] = [
  {
    rule: 'whole-dataset-on-card',
    severity: 'warning',
    message: message('check.wholeDataset'),
    why: message('check.wholeDatasetWhy'),
    better: 'for x, y in loader:\n    x = x.to(device, non_blocking=True)',
    hits: (script) =>
      script.calls
        .filter((call) => isMoveToCard(script, call) && !script.loopOf(call.node))
        .filter((call) => {
          const { object } = call;
          if (object === null) return false;
          const method = datasetMethod(script, call.node);
          if (method === '__init__') return true;
          if (above(call.node, classes) !== null) return false;
          if (method !== null || script.functionOf(call.node)?.name === 'LambdaExpression') return false;
          const made =
            object.name === 'VariableName' ? script.makerBefore(object, call.node) : script.makerOf(object);
          const inTensorDataset = above(call.node, new Set(['CallExpression']));
          if (inTensorDataset !== null && /TensorDataset$/.test(script.makerOf(inTensorDataset) ?? ''))
            return true;
          return (
            made !== null &&
            tableMakers.test(made) &&
            !isBatch(script, call) &&
            ((object.name === 'CallExpression' && readsWhole(script, object, made)) ||
              wholeDataset.test(script.text(object)))
          );
        })
        .map(at),
  },
  {
    rule: 'cuda-in-dataset',
    severity: 'error',
    message: message('check.cudaInDataset'),
    why: message('check.cudaInDatasetWhy'),
    better:
      'def __getitem__(self, i):\n    return self.x[i]  # on the CPU; move the batch in the training loop',
    hits: (script) =>
      script.calls
        .filter((call) => isMoveToCard(script, call) && datasetMethod(script, call.node) === '__getitem__')
        .map(at),
  },
  {
    rule: 'no-pinned-memory',
    severity: 'info',
    message: message('check.noPinnedMemory'),
    why: message('check.noPinnedMemoryWhy'),
    better: 'DataLoader(dataset, pin_memory=True, …)',
    hits: (script) =>
      usesCuda(script)
        ? loaders(script)
            .filter((call) => lacks(call, 'pin_memory'))
            .map(at)
        : [],
  },
  {
    rule: 'no-loader-workers',
    severity: 'info',
    message: message('check.noWorkers'),
    why: message('check.noWorkersWhy'),
    better: 'DataLoader(dataset, num_workers=4, persistent_workers=True, …)',
    hits: (script) =>
      loaders(script)
        .filter((call) => lacks(call, 'num_workers'))
        .map(at),
  },
  {
    rule: 'blocking-copy',
    severity: 'info',
    message: message('check.blockingCopy'),
    why: message('check.blockingCopyWhy'),
    better: 'x = x.to(device, non_blocking=True)',
    hits: (script) => {
      const pinned = loaders(script).some(
        (call) => script.text(call.keywords.get('pin_memory') ?? call.node) === 'True',
      );
      return pinned
        ? script
            .methods('to', 'cuda')
            .filter(
              (call) =>
                isMoveToCard(script, call) &&
                !isModule(script, call) &&
                lacks(call, 'non_blocking') &&
                script.loopOf(call.node) !== null,
            )
            .map(at)
        : [];
    },
  },
  {
    rule: 'no-distributed-sampler',
    severity: 'error',
    message: message('check.noSampler'),
    why: message('check.noSamplerWhy'),
    better: 'sampler = DistributedSampler(dataset)\nloader = DataLoader(dataset, sampler=sampler, …)',
    hits: (script) =>
      isDistributed(script) &&
      !hasManager(script) &&
      !sharesSamples(script) &&
      script.callsTo(...samplers).length === 0
        ? loaders(script)
            .filter(
              (call) => lacks(call, 'sampler') && lacks(call, 'batch_sampler') && !isIterable(script, call),
            )
            .map(at)
        : [],
  },
  {
    rule: 'sampler-without-set-epoch',
    severity: 'warning',
    message: message('check.noSetEpoch'),
    why: message('check.noSetEpochWhy'),
    better: 'for epoch in range(epochs):\n    sampler.set_epoch(epoch)',
    hits: (script) =>
      script.methods('set_epoch').length > 0
        ? []
        : script
            .callsTo(...samplers)
            .filter((call) => script.text(call.keywords.get('shuffle') ?? call.node) !== 'False')
            .filter((call) => !isLibraryHelper(script, call))
            .slice(0, 1)
            .map(at),
  },
];

/** The classes of the script that name something iterable in their bases or their body. */
const iterableClasses = once(
  (script) =>
    new Set(
      script.nodes.flatMap((node) => {
        if (node.name !== 'VariableName' || !/Iterable/.test(script.text(node))) return [];
        const owner = above(node, classes);
        return owner === null ? [] : [script.functionName(owner)];
      }),
    ),
);

/** Iterable data sets shard themselves; a sampler would be refused. */
function isIterable(script: PythonScript, call: Call): boolean {
  const dataset = call.positional[0] ?? call.keywords.get('dataset');
  const maker = dataset === undefined ? null : script.makerOf(dataset);
  return (
    /Iterable|WebDataset|split_dataset_by_node/.test(maker ?? '') ||
    (maker !== null && iterableClasses(script).has(maker))
  );
}
