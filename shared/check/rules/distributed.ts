import { message } from '../../i18n/message';
import { once, onceEach } from '../python/once';
import { firstInside, groupBy } from '../python/ordered';
import type { Call, PythonScript } from '../python/script';
import { above, type SyntaxNode } from '../python/tree';
import {
  at,
  hasManager,
  isDistributed,
  isLibraryHelper,
  isTestOfCode,
  usesCuda,
  wrapperCalls,
  type PythonRule,
} from './pythonRule';

const initialise = 'torch.distributed.init_process_group';
const rankGuard =
  /rank\b|is_main|master|main_process|world_process_zero|is_global_zero|\bgpu(_?id)?\s*==\s*0|chief/i;
const collectives = [
  'barrier',
  'all_reduce',
  'all_gather',
  'all_gather_object',
  'all_gather_into_tensor',
  'broadcast',
  'broadcast_object_list',
  'reduce_scatter',
  'reduce_scatter_tensor',
  'all_to_all',
  'monitored_barrier',
].map((name) => `torch.distributed.${name}`);

function nccl(script: PythonScript, call: Call): boolean {
  const backend = call.positional[0] ?? call.keywords.get('backend');
  return backend === undefined || !/gloo|mpi/.test(script.text(backend));
}

const byHand = (script: PythonScript): boolean => isDistributed(script) && !hasManager(script);

export const distributedRules: readonly PythonRule[] = [
  {
    rule: 'uses-data-parallel',
    severity: 'warning',
    message: message('check.dataParallel'),
    why: message('check.dataParallelWhy'),
    better:
      'torchrun --nproc-per-node=gpu train.py\nmodel = DistributedDataParallel(model, device_ids=[local_rank])',
    hits: (script) => script.callsTo('torch.nn.DataParallel', 'torch.nn.parallel.DataParallel').map(at),
  },
  {
    rule: 'no-set-device',
    severity: 'error',
    message: message('check.noSetDevice'),
    why: message('check.noSetDeviceWhy'),
    better: 'local_rank = int(os.environ["LOCAL_RANK"])\ntorch.cuda.set_device(local_rank)',
    hits: (script) => {
      const set =
        script.callsTo(
          'torch.cuda.set_device',
          'torch.cuda.device',
          'torch.accelerator.set_device_index',
          'torch.accelerator.set_device',
        ).length > 0;
      if (
        set ||
        !usesCuda(script) ||
        !byHand(script) ||
        /CUDA_VISIBLE_DEVICES["']\s*\]\s*=/.test(script.source)
      )
        return [];
      return script
        .callsTo(initialise)
        .filter(
          (call) => nccl(script, call) && !call.keywords.has('device_id') && !isLibraryHelper(script, call),
        )
        .slice(0, 1)
        .map(at);
    },
  },
  {
    rule: 'no-destroy-process-group',
    severity: 'warning',
    message: message('check.noDestroy'),
    why: message('check.noDestroyWhy'),
    better: 'try:\n    train()\nfinally:\n    dist.destroy_process_group()',
    hits: (script) =>
      script.methods('destroy_process_group').length > 0 ||
      script.callsTo('torch.distributed.destroy_process_group', 'destroy_process_group').length > 0
        ? []
        : script
            .callsTo(initialise)
            .filter((call) => !isLibraryHelper(script, call))
            .slice(0, 1)
            .map(at),
  },
  {
    rule: 'load-without-map-location',
    severity: 'warning',
    message: message('check.noMapLocation'),
    why: message('check.noMapLocationWhy'),
    better: 'torch.load(path, map_location="cpu", weights_only=True)',
    hits: (script) =>
      usesCuda(script)
        ? script
            .callsTo('torch.load')
            .filter(
              (call) => !call.isOpen && !call.keywords.has('map_location') && call.positional.length < 2,
            )
            .map(at)
        : [],
  },
  {
    rule: 'save-on-every-rank',
    severity: 'warning',
    message: message('check.saveEveryRank'),
    why: message('check.saveEveryRankWhy'),
    better: 'if dist.get_rank() == 0:\n    torch.save(state, path)',
    hits: (script) =>
      byHand(script)
        ? script
            .callsTo('torch.save')
            .filter((call) => {
              const path = call.positional[1] ?? call.keywords.get('f');
              const namesRank = path !== undefined && /rank/i.test(script.text(path));
              const intoMemory = path !== undefined && /BytesIO$/.test(script.makerOf(path) ?? '');
              const owner = script.functionOf(call.node);
              const early = owner !== null && firstReturnOfRanks(script, owner) <= call.node.from;
              return (
                !namesRank &&
                !intoMemory &&
                !early &&
                !isGuarded(script, call) &&
                !calledUnderGuard(script, call)
              );
            })
            .map(at)
        : [],
  },
  {
    rule: 'collective-on-one-rank',
    severity: 'error',
    message: message('check.collectiveOnOneRank'),
    why: message('check.collectiveOnOneRankWhy'),
    better: 'if rank == 0:\n    save()\ndist.barrier()   # outside of the if: every rank must arrive',
    hits: (script) =>
      script
        .callsTo(...collectives)
        .filter((call) => rankCondition(script, call) !== null && !othersJoin(script, call))
        .map(at),
  },
  {
    rule: 'optimizer-before-sharding',
    severity: 'error',
    message: message('check.optimizerBeforeSharding'),
    why: message('check.optimizerBeforeShardingWhy'),
    better: 'fully_shard(model)\noptimizer = torch.optim.AdamW(model.parameters())',
    hits: (script) => {
      const shard = wrapperCalls(script).filter((call) => /fully_shard|FullySharded/.test(call.name));
      const last = shard[shard.length - 1];
      if (last === undefined) return [];
      const optimizers = script.calls.filter(
        (call) =>
          /^torch\.optim\.[A-Z]\w*$/.test(call.name) &&
          script.functionOf(call.node)?.from === script.functionOf(last.node)?.from,
      );
      // One that is made behind the sharding takes its place.
      return optimizers.some((call) => call.node.from > last.node.from) ? [] : optimizers.map(at);
    },
  },
  {
    rule: 'device-map-auto-with-ranks',
    severity: 'error',
    message: message('check.deviceMapAuto'),
    why: message('check.deviceMapAutoWhy'),
    better: 'from_pretrained(name, device_map={"": local_rank})',
    hits: (script) =>
      (isDistributed(script) || script.callsTo('accelerate.Accelerator').length > 0) && !isTestOfCode(script)
        ? script
            .methods('from_pretrained')
            .filter((call) =>
              /^["'](auto|balanced\w*)["']$/.test(script.text(call.keywords.get('device_map') ?? call.node)),
            )
            .map(at)
        : [],
  },
  {
    rule: 'layers-round-robin',
    severity: 'warning',
    message: message('check.roundRobin'),
    why: message('check.roundRobinWhy'),
    better: 'device = layer_id * num_gpus // num_layers   # neighbours stay together',
    hits: (script) =>
      script.nodes.filter((node) => node.name === 'BinaryExpression' && isRoundRobin(script, node)).map(at),
  },
  {
    rule: 'fixed-master-port',
    severity: 'info',
    message: message('check.fixedPort'),
    why: message('check.fixedPortWhy'),
    better: 'torchrun --standalone …   # picks a free port',
    hits: (script) =>
      script.assignments
        .filter(
          ({ target, value }) => /environ\[["']MASTER_PORT["']\]/.test(target) && value.name === 'String',
        )
        .map(({ node }) => at(node)),
  },
  {
    rule: 'finds-unused-parameters',
    severity: 'info',
    message: message('check.unusedParameters'),
    why: message('check.unusedParametersWhy'),
    better: 'DistributedDataParallel(model, device_ids=[local_rank])',
    hits: (script) =>
      wrapperCalls(script)
        .filter((call) => script.text(call.keywords.get('find_unused_parameters') ?? call.node) === 'True')
        .map(at),
  },
  {
    rule: 'fork-after-cuda',
    severity: 'error',
    message: message('check.fork'),
    why: message('check.forkWhy'),
    better: 'torch.multiprocessing.set_start_method("spawn")',
    hits: (script) =>
      usesCuda(script)
        ? script.calls
            .filter(
              (call) =>
                /(multiprocessing\.(set_start_method|get_context))$/.test(call.name) &&
                /^["']fork["']$/.test(script.text(call.positional[0] ?? call.node)),
            )
            .map(at)
        : [],
  },
];

/** `layer % num_gpus`: deals layers out to the cards in turn. */
function isRoundRobin(script: PythonScript, { firstChild: left, lastChild: right }: SyntaxNode): boolean {
  if (left === null || right === null || right.prevSibling === null) return false;
  return (
    script.text(right.prevSibling) === '%' &&
    /^(?:self\.)?(?:args\.)?(?:num_gpus|n_gpus?|ngpus?|num_devices|n_devices|gpu_count|len\((?:devices|gpus)\)|torch\.cuda\.device_count\(\)|device_count)$/.test(
      script.text(right),
    ) &&
    /layer|block|\bi\b|idx|index/i.test(script.text(left))
  );
}

/** Behind which place of a function only some ranks go on (`if rank != 0: return`); Infinity where all do. */
const firstReturnOfRanks = onceEach(
  ({ from }: SyntaxNode) => from,
  (script, owner) => {
    for (const { 0: found, index } of script.text(owner).matchAll(/:\s*return/gi)) {
      const at = owner.from + index;
      const head = script.source.slice(Math.max(owner.from, at - longestHead), at);
      if (/if .*(?:rank|is_main)/i.test(head.slice(head.lastIndexOf('\n') + 1))) return at + found.length;
    }
    return Infinity;
  },
);

/** So many characters of an `if` are looked at. */
const longestHead = 200;

/** A helper that is only ever called under a rank's condition is guarded too. */
function calledUnderGuard(script: PythonScript, call: Call): boolean {
  const owner = script.functionOf(call.node);
  return owner !== null && isOnlyCalledGuarded(script, script.functionName(owner));
}

const isOnlyCalledGuarded = onceEach(
  (name: string) => name,
  (script, name) => {
    const uses = script.callsOf(name);
    return uses.length > 0 && uses.every((use) => isGuarded(script, use));
  },
);

/** Whether a call stands under a condition on the rank, or on something that was set by one. */
function isGuarded(script: PythonScript, call: Call): boolean {
  return script.conditionsAround(call.node).some((condition) => asksForRank(script, condition));
}

const asksForRank = onceEach(
  (condition: string) => condition,
  (script, condition) =>
    rankGuard.test(condition) ||
    (condition.match(/[\w.]+/g) ?? []).some((word) => setByRank(script).has(word)),
);

/** Names that hold whether this is the first rank. */
const setByRank = once(
  (script): ReadonlySet<string> =>
    new Set(
      script.source.split('\n').flatMap((line) => {
        const name = /^[ \t]*([\w.]+) *=/.exec(line)?.[1];
        const value = line.slice(line.indexOf('='));
        return name !== undefined && /rank *== *0|is_main|is_master|main_process/i.test(value) ? [name] : [];
      }),
    ),
);

/** The condition on a rank under which a call runs; null where every rank comes there. */
function rankCondition(script: PythonScript, call: Call): string | null {
  return script.conditionsAround(call.node).find((condition) => comparesRank(script, condition)) ?? null;
}

const comparesRank = onceEach(
  (condition: string) => condition,
  (_script, condition) =>
    /rank\s*(==|!=|>|<|>=|<=)\s*\d|is_main|is_master/i.test(condition) && !/local_?rank/i.test(condition),
);

/** The other ranks call the same in the other branch, or under the opposite condition ("main process first"). */
function othersJoin(script: PythonScript, call: Call): boolean {
  const condition = rankCondition(script, call);
  const branch = above(call.node, new Set(['IfStatement']));
  const { conditions, unconditional } = sameCalls(script, call);
  return (
    [...conditions].some((theirs) => theirs !== condition) ||
    (branch !== null && firstInside(unconditional, branch) !== undefined)
  );
}

/** A call by its name and the function that it stands in. */
const placeOf = (script: PythonScript, { name, node }: Call): string =>
  `${script.functionOf(node)?.from ?? 'module'} ${name}`;

/** The calls of one name in one function: under which conditions on the rank, and those under none. */
function sameCalls(script: PythonScript, call: Call): RankCalls {
  return rankCalls(script, placeOf(script, call));
}

interface RankCalls {
  readonly conditions: ReadonlySet<string>;
  readonly unconditional: readonly Call[];
}

const rankCalls = onceEach(
  (place: string) => place,
  (script, place): RankCalls => {
    const conditions = new Set<string>();
    const unconditional: Call[] = [];
    for (const call of callsByPlace(script).get(place) ?? []) {
      const condition = rankCondition(script, call);
      if (condition === null) unconditional.push(call);
      // Two that differ are enough to know that one differs from any.
      else if (conditions.size < 2) conditions.add(condition);
    }
    return { conditions, unconditional };
  },
);

const callsByPlace = once((script) => groupBy(script.calls, (call) => placeOf(script, call)));
