import { message } from '../../i18n/message';
import type { Call, PythonScript } from '../python/script';
import { above, isInside } from '../python/tree';
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
              const early =
                owner !== null &&
                /if [^\n]*(rank|is_main)[^\n]*:\s*\n?\s*return/i.test(
                  script.text(owner).slice(0, call.node.from - owner.from),
                );
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
        (call) => /^torch\.optim\.[A-Z]\w*$/.test(call.name) && sameFunction(script, call, last),
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
      script.nodes
        .filter(
          (node) =>
            node.name === 'BinaryExpression' &&
            /%\s*(self\.)?(args\.)?(num_gpus|n_gpus?|ngpus?|num_devices|n_devices|gpu_count|len\((devices|gpus)\)|torch\.cuda\.device_count\(\)|device_count)\s*$/.test(
              script.text(node),
            ),
        )
        .filter((node) => /layer|block|\bi\b|idx|index/i.test(script.text(node).split('%')[0] ?? ''))
        .map(at),
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
          ({ node, value }) =>
            /environ\[["']MASTER_PORT["']\]/.test(script.text(node)) && value.name === 'String',
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

function sameFunction(script: PythonScript, left: Call, right: Call): boolean {
  return script.functionOf(left.node)?.from === script.functionOf(right.node)?.from;
}

/** A helper that is only ever called under a rank's condition is guarded too. */
function calledUnderGuard(script: PythonScript, call: Call): boolean {
  const owner = script.functionOf(call.node);
  if (owner === null) return false;
  const uses = script.callsOf(script.functionName(owner));
  return uses.length > 0 && uses.every((use) => isGuarded(script, use));
}

/** Whether a call stands under a condition on the rank, or on something that was set by one. */
function isGuarded(script: PythonScript, call: Call): boolean {
  const setByRank = [...script.source.matchAll(/^[ \t]*([\w.]+) *= *(.+)$/gm)].flatMap(
    ([, name = '', value = '']) => (/rank *== *0|is_main|is_master|main_process/i.test(value) ? [name] : []),
  );
  return script
    .conditionsAround(call.node)
    .some(
      (condition) =>
        rankGuard.test(condition) ||
        (condition.match(/[\w.]+/g) ?? []).some((word) => setByRank.includes(word)),
    );
}

/** The condition on a rank under which a call runs; null where every rank comes there. */
function rankCondition(script: PythonScript, call: Call): string | null {
  return (
    script
      .conditionsAround(call.node)
      .find(
        (condition) =>
          /rank\s*(==|!=|>|<|>=|<=)\s*\d|is_main|is_master/i.test(condition) &&
          !/local_?rank/i.test(condition),
      ) ?? null
  );
}

/** The other ranks call the same in the other branch, or under the opposite condition ("main process first"). */
function othersJoin(script: PythonScript, call: Call): boolean {
  const condition = rankCondition(script, call);
  const branch = above(call.node, new Set(['IfStatement']));
  return script
    .callsTo(call.name)
    .filter((other) => other !== call && sameFunction(script, other, call))
    .some((other) => {
      const theirs = rankCondition(script, other);
      return theirs === null ? branch !== null && isInside(other.node, branch) : theirs !== condition;
    });
}
