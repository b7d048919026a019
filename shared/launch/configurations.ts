import { stringify } from 'yaml';
import { writtenZeroConfig } from '../memory/training/zero/config';
import { hasRanks, isDdp, isDeepSpeed, isFsdp, type LaunchFile, type LaunchPlan } from './plan';
import { planId } from './savedPlan';
import { planVariable } from '../planVariable';
import { hasEightBitState } from '../memory/training/optimizers';

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
/** PyYAML reads YAML 1.1, where bare `no` and `on` are booleans; long lines are not folded. */
const yaml = (value: unknown): string => stringify(value, { version: '1.1', lineWidth: 0 });

/** DeepSpeed's configuration with its bucket sizes written out, so that the plan's buffers are those that run. */
export function deepSpeedConfig(plan: LaunchPlan): LaunchFile {
  const stage = Number(plan.strategy.slice(-1));
  const offloadsOptimizer = plan.offload !== 'none';
  const device = plan.offload === 'nvme' ? { device: 'nvme', nvme_path: '/local_nvme' } : { device: 'cpu' };
  const offload = { ...device, pin_memory: true };
  return {
    name: 'deepspeed.json',
    text: json({
      train_micro_batch_size_per_gpu: plan.microBatch,
      gradient_accumulation_steps: plan.accumulationSteps,
      ...(plan.gradientClip ? { gradient_clipping: 1.0 } : {}),
      bf16: { enabled: plan.precision === 'bf16' || plan.precision === 'amp-bf16' },
      fp16: { enabled: plan.precision === 'amp-fp16' },
      optimizer: { type: 'AdamW', params: { lr: 1e-5 } },
      zero_optimization: {
        stage,
        overlap_comm: writtenZeroConfig.overlapsCommunication,
        contiguous_gradients: true,
        reduce_bucket_size: writtenZeroConfig.reduceBucketElements,
        ...(stage < 3 ? { allgather_bucket_size: writtenZeroConfig.reduceBucketElements } : {}),
        ...(stage === 3
          ? {
              stage3_prefetch_bucket_size: writtenZeroConfig.prefetchElements,
              stage3_param_persistence_threshold: writtenZeroConfig.persistenceElements,
              stage3_max_live_parameters: writtenZeroConfig.maxLiveElements,
            }
          : {}),
        ...(offloadsOptimizer ? { offload_optimizer: offload } : {}),
        ...(stage === 3 && (plan.offload === 'all' || plan.offload === 'nvme')
          ? { offload_param: offload }
          : {}),
      },
    }),
  };
}

/** The same plan for `accelerate launch`, for those who have a script of their own. */
export function accelerateConfig(plan: LaunchPlan): LaunchFile {
  const kind = isDeepSpeed(plan) ? 'DEEPSPEED' : isFsdp(plan) ? 'FSDP' : isDdp(plan) ? 'MULTI_GPU' : 'NO';
  return {
    name: 'accelerate.yaml',
    text: yaml({
      compute_environment: 'LOCAL_MACHINE',
      distributed_type: kind,
      num_machines: plan.nodes,
      num_processes: plan.world,
      machine_rank: 0,
      mixed_precision: plan.precision === 'amp-fp16' ? 'fp16' : plan.precision === 'amp-bf16' ? 'bf16' : 'no',
      ...(isDeepSpeed(plan) ? { deepspeed_config: { deepspeed_config_file: 'deepspeed.json' } } : {}),
      ...(isFsdp(plan)
        ? {
            fsdp_config: {
              fsdp_version: 2,
              fsdp_auto_wrap_policy: 'TRANSFORMER_BASED_WRAP',
              fsdp_reshard_after_forward: plan.strategy === 'fsdp-full',
              fsdp_offload_params: plan.offload === 'all',
              fsdp_activation_checkpointing: plan.checkpointing === 'full',
            },
          }
        : {}),
    }),
  };
}

const cardsPerNode = (plan: LaunchPlan): number => Math.ceil(plan.world / plan.nodes);

/** How one node starts it. */
export function launchCommand(plan: LaunchPlan): readonly string[] {
  if (!hasRanks(plan)) return ['python3', 'train.py'];
  return ['torchrun', '--standalone', `--nproc-per-node=${cardsPerNode(plan)}`, 'train.py'];
}

/** Marks the processes with the plan: only what stands in the environment at their start can be read from outside. */
const markLines = (plan: LaunchPlan): readonly string[] => [
  '# Headroom knows the processes by this, and lays the plan over their memory.',
  `export ${planVariable}=${planId(plan)}`,
];

/** What a person starts: it marks the processes as the plan's and hands its own arguments on to `train.py`. */
export function launchScript(plan: LaunchPlan): LaunchFile {
  return {
    name: 'launch.sh',
    text: [
      '#!/usr/bin/env bash',
      'set -euo pipefail',
      'cd "$(dirname "$0")"',
      ...markLines(plan),
      `exec ${launchCommand(plan).join(' ')} "$@"`,
      '',
    ].join('\n'),
  };
}

const torchrunOnNodes = (plan: LaunchPlan, rendezvous: string): readonly string[] => [
  'torchrun',
  `--nnodes=${plan.nodes}`,
  `--nproc-per-node=${cardsPerNode(plan)}`,
  '--rdzv-backend=c10d',
  `--rdzv-endpoint=${rendezvous}`,
];

/** For more than one node under Slurm: one torchrun a node, meeting on the first. */
export function slurmScript(plan: LaunchPlan): LaunchFile {
  const command = [
    ...torchrunOnNodes(plan, '"$head:29500"'),
    '--rdzv-id="$SLURM_JOB_ID"',
    'train.py',
    '"$@"',
  ];
  return {
    name: 'train.slurm',
    text: [
      '#!/usr/bin/env bash',
      `#SBATCH --job-name=${plan.name}`,
      `#SBATCH --nodes=${plan.nodes}`,
      '#SBATCH --ntasks-per-node=1',
      `#SBATCH --gpus-per-node=${cardsPerNode(plan)}`,
      '#SBATCH --cpus-per-task=16',
      'set -euo pipefail',
      'cd "$SLURM_SUBMIT_DIR"',
      ...markLines(plan),
      'head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)',
      `srun ${command.join(' ')}`,
      '',
    ].join('\n'),
  };
}

/** The same for Kubernetes with the training operator. `/dev/shm` gets memory, or loader workers die on it. */
export function pyTorchJob(plan: LaunchPlan): LaunchFile {
  const replica = (replicas: number): object => ({
    replicas,
    restartPolicy: 'Never',
    template: {
      spec: {
        containers: [
          {
            name: 'pytorch',
            image: 'pytorch/pytorch:2.11.0-cuda13.0-cudnn9-runtime',
            workingDir: '/workspace',
            command: [
              'torchrun',
              `--nnodes=${plan.nodes}`,
              `--nproc-per-node=${cardsPerNode(plan)}`,
              '--rdzv-backend=c10d',
              '--rdzv-endpoint=$(MASTER_ADDR):$(MASTER_PORT)',
              'train.py',
            ],
            env: [{ name: planVariable, value: planId(plan) }],
            resources: { limits: { 'nvidia.com/gpu': cardsPerNode(plan) } },
            volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }],
          },
        ],
        volumes: [{ name: 'shm', emptyDir: { medium: 'Memory' } }],
      },
    },
  });
  return {
    name: 'pytorchjob.yaml',
    text: yaml({
      apiVersion: 'kubeflow.org/v1',
      kind: 'PyTorchJob',
      metadata: { name: plan.name.toLowerCase().replace(/[^a-z0-9-]+/g, '-') },
      spec: {
        pytorchReplicaSpecs: {
          Master: replica(1),
          ...(plan.nodes > 1 ? { Worker: replica(plan.nodes - 1) } : {}),
        },
      },
    }),
  };
}

/** The versions that the predictions were measured with. */
export function requirements(plan: LaunchPlan): LaunchFile {
  return {
    name: 'requirements.txt',
    text: [
      'torch==2.11.0',
      'transformers==5.17.0',
      ...(plan.method === 'full' ? [] : ['peft>=0.18']),
      ...(plan.method === 'qlora' || hasEightBitState(plan.optimizer) ? ['bitsandbytes>=0.48'] : []),
      ...(plan.method === 'qlora' ? ['accelerate>=1.12'] : []),
      ...(isDeepSpeed(plan) ? ['deepspeed>=0.18'] : []),
      '',
    ].join('\n'),
  };
}
