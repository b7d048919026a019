import {
  dividesSamples,
  hasManyCards,
  hasRanks,
  hasScaler,
  isDdp,
  isDeepSpeed,
  isFsdp,
  isPipeline,
  isPlaced,
  isTensorParallel,
  type LaunchPlan,
} from '../plan';
import { pythonLiteral, type PythonText } from '../python';

/** Docstring, memory settings, imports and the plan's numbers. Settings of the allocator must stand before torch. */
export function writeHead(text: PythonText, plan: LaunchPlan): void {
  text.line(
    `"""Trains ${plan.name} as Headroom planned it. README.md says how to start it and what was assumed."""`,
    '',
    'import argparse',
    ...(isDdp(plan) && plan.gradientSync === 'last' ? ['import contextlib'] : []),
    ...(isPlaced(plan) ? ['import itertools'] : []),
    ...(plan.task === 'image' ? [] : ['import json']),
    'import logging',
    'import os',
    ...(isPipeline(plan) ? ['import re'] : []),
    'import sys',
    'import time',
    'from pathlib import Path',
    '',
  );
  if (plan.expandableSegments)
    text.line(
      '# The plan assumes it. It must be set before torch is imported.',
      'os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")',
      '',
    );
  text.line('import torch');
  if (hasRanks(plan)) text.line('import torch.distributed as dist');
  if (isDeepSpeed(plan)) text.line('import deepspeed');
  if (isPipeline(plan))
    text.line('from safetensors import safe_open', 'from safetensors.torch import save_file');
  if (plan.method !== 'full') text.line('from peft import LoraConfig, get_peft_model');
  if (hasRanks(plan)) text.line('from torch.distributed.elastic.multiprocessing.errors import record');
  if (isFsdp(plan)) text.line(`from torch.distributed.fsdp import ${fsdpNames(plan).join(', ')}`);
  if (isPipeline(plan))
    text.line(`from torch.distributed.pipelining import PipelineStage, ${scheduleClass(plan)}`);
  if (isTensorParallel(plan)) text.line('from torch.distributed.tensor import DTensor');
  if (isDdp(plan)) text.line('from torch.nn.parallel import DistributedDataParallel');
  text.line('from torch.utils.data import DataLoader, Dataset');
  if (dividesSamples(plan)) text.line('from torch.utils.data.distributed import DistributedSampler');
  text.line(`from transformers import ${transformersNames(plan).join(', ')}`);
  text.blank();
  writeConstants(text, plan);
}

function fsdpNames(plan: LaunchPlan): readonly string[] {
  return [
    plan.offload === 'all' ? 'CPUOffloadPolicy' : null,
    plan.precision === 'bf16' || plan.precision === 'fp32' ? null : 'MixedPrecisionPolicy',
    'fully_shard',
  ].filter((name) => name !== null);
}

/** The class of torch.distributed.pipelining that runs the stages. */
export const scheduleClass = ({ schedule }: LaunchPlan): string =>
  schedule === 'gpipe' ? 'ScheduleGPipe' : 'Schedule1F1B';

const modelClasses = {
  causal: 'AutoModelForCausalLM',
  masked: 'AutoModelForMaskedLM',
  'sequence-to-sequence': 'AutoModelForSeq2SeqLM',
  image: 'AutoModelForImageClassification',
} as const;

/** The class of transformers that loads the model. */
export const modelClass = (plan: LaunchPlan): string => modelClasses[plan.task];

function transformersNames(plan: LaunchPlan): readonly string[] {
  return [
    plan.optimizer === 'adafactor' ? 'Adafactor' : null,
    'AutoConfig',
    modelClass(plan),
    plan.task === 'image' ? null : 'AutoTokenizer',
    plan.method === 'qlora' ? 'BitsAndBytesConfig' : null,
  ].filter((name) => name !== null);
}

function writeConstants(text: PythonText, plan: LaunchPlan): void {
  text.line(
    'HERE = Path(__file__).resolve().parent',
    `MICRO_BATCH = ${plan.microBatch}  # samples of one forward on one card`,
    `ACCUMULATION_STEPS = ${plan.accumulationSteps}  # forwards of one optimizer step`,
  );
  if (plan.task !== 'image') text.line(`SEQUENCE = ${plan.sequence}  # tokens of one sample`);
  if (hasManyCards(plan)) text.line(`CARDS = ${plan.world}  # of this one process`);
  if (plan.stageLayers !== null)
    text.line(
      `STAGE_LAYERS = ${pythonLiteral(plan.stageLayers)}  # layers of each ${isPlaced(plan) ? 'card' : 'stage'}, in order`,
    );
  text.line(
    `PLANNED_PEAK_BYTES = ${pythonLiteral(plan.planned.map(({ allocatedPeakBytes }) => allocatedPeakBytes))}  # of the allocator, by ${hasManyCards(plan) ? 'card' : 'rank'}`,
    'log = logging.getLogger("train")',
  );
  if (hasScaler(plan)) text.line('HALF = torch.float16');
  else if (plan.precision === 'amp-bf16') text.line('HALF = torch.bfloat16');
}
