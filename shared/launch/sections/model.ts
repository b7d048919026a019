import {
  isAutocast,
  isDataParallel,
  isDeepSpeed,
  isFsdp,
  isPlaced,
  isTensorParallel,
  type LaunchPlan,
} from '../plan';
import { pythonLiteral, type PythonText } from '../python';
import { modelClass } from './head';
import { writeDataParallel, writePlacement } from './manyCards';

/** Building the model: weights from a folder, or random ones from the config beside the script. */
export function writeModel(text: PythonText, plan: LaunchPlan): void {
  text.define('def build_model(folder, device)', (body) => {
    body.line(
      '"""The model with its weights, ready to be wrapped. Without a folder it is random: enough to try the plan."""',
    );
    body.line(`dtype = torch.${plan.precision === 'bf16' ? 'bfloat16' : 'float32'}`);
    if (plan.method === 'qlora') writeQuantised(body, plan);
    else if (isTensorParallel(plan)) writeDivided(body, plan);
    else writePlain(body, plan);
    body.line('model.config.use_cache = False');
    if (plan.checkpointing === 'full')
      body.line(
        'model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})',
      );
    if (plan.method !== 'full') writeAdapters(body, plan);
    // Sharding moves the shards itself, placing its layers, and quantised weights are on the card already.
    body.line(
      isFsdp(plan) || isDeepSpeed(plan) || isPlaced(plan) || plan.method === 'qlora'
        ? 'return model'
        : 'return model.to(device)',
    );
  });
}

const attentionArgument = (plan: LaunchPlan): string =>
  `attn_implementation=${pythonLiteral(plan.attention === 'eager' ? 'eager' : 'sdpa')}`;

function writePlain(body: PythonText, plan: LaunchPlan): void {
  body.block('if folder is None', (leaf) => {
    leaf.line('config = AutoConfig.from_pretrained(HERE)', 'torch.manual_seed(0)');
    leaf.line(`model = ${modelClass(plan)}.from_config(config, dtype=dtype, ${attentionArgument(plan)})`);
  });
  body.block('else', (leaf) =>
    leaf.line(`model = ${modelClass(plan)}.from_pretrained(folder, dtype=dtype, ${attentionArgument(plan)})`),
  );
}

/** transformers divides tensors while it loads them, so random weights are written to files first. */
function writeDivided(body: PythonText, plan: LaunchPlan): void {
  body.block('if folder is None', (leaf) => {
    leaf.line('folder = HERE / "random-weights"');
    leaf.block('if dist.get_rank() == 0 and not folder.exists()', (first) =>
      first.line(
        'torch.manual_seed(0)',
        `${modelClass(plan)}.from_config(AutoConfig.from_pretrained(HERE), dtype=dtype).save_pretrained(folder)`,
      ),
    );
    leaf.line('dist.barrier()');
  });
  body.line(
    `model = ${modelClass(plan)}.from_pretrained(folder, dtype=dtype, ${attentionArgument(plan)}, tp_plan="auto")`,
  );
}

/** In which type products run. */
const computeTypes: Readonly<Record<LaunchPlan['precision'], string>> = {
  fp32: 'float32',
  'amp-bf16': 'bfloat16',
  'amp-fp16': 'float16',
  bf16: 'bfloat16',
};

function writeQuantised(body: PythonText, plan: LaunchPlan): void {
  body.block('if folder is None', (leaf) =>
    leaf.line('raise SystemExit("QLoRA quantises weights as it loads them: give --model FOLDER")'),
  );
  body.line(
    'quantization = BitsAndBytesConfig(',
    '    load_in_4bit=True,',
    '    bnb_4bit_quant_type="nf4",',
    `    bnb_4bit_use_double_quant=${pythonLiteral(plan.doubleQuant)},`,
    `    bnb_4bit_compute_dtype=torch.${computeTypes[plan.precision]},`,
    ')',
    `model = ${modelClass(plan)}.from_pretrained(`,
    `    folder, dtype=dtype, ${attentionArgument(plan)}, quantization_config=quantization, device_map={"": device},`,
    ')',
  );
}

function writeAdapters(body: PythonText, plan: LaunchPlan): void {
  const { lora } = plan;
  if (lora === null) return;
  body.line(
    'adapters = LoraConfig(',
    `    r=${lora.rank}, lora_alpha=${lora.alpha}, lora_dropout=${lora.dropout}, target_modules=${pythonLiteral(lora.targets)},`,
    ...(plan.task === 'causal' ? ['    task_type="CAUSAL_LM",'] : []),
    ')',
    `model = get_peft_model(model, adapters, autocast_adapter_dtype=${pythonLiteral(lora.dtype === 'fp32')})`,
  );
  if (plan.checkpointing === 'full')
    body.line(
      'model.enable_input_require_grads()  # a recomputed block of frozen layers needs an input with a gradient',
    );
}

/** DDP, FSDP2 or nothing around the model; the optimizer comes after, because sharding replaces the parameters. */
export function writeWrap(text: PythonText, plan: LaunchPlan): void {
  if (isFsdp(plan)) writeFsdp(text, plan);
  if (isDataParallel(plan)) writeDataParallel(text, plan);
  if (isPlaced(plan)) writePlacement(text, plan);
  if (plan.strategy === 'ddp' || plan.strategy === 'ddp-bucket-view')
    text.define('def wrap(model, device)', (body) =>
      body.line(
        'devices = [device.index] if device.type == "cuda" else None',
        `return DistributedDataParallel(model, device_ids=devices, gradient_as_bucket_view=${pythonLiteral(plan.strategy === 'ddp-bucket-view')})`,
      ),
    );
}

function writeFsdp(text: PythonText, plan: LaunchPlan): void {
  text.define('def blocks_of(model)', (body) => {
    body.line(
      '"""The layers of the model: its outermost lists of modules, one for each stack."""',
      'found = []',
    );
    body.block('for child in model.children()', (loop) =>
      loop.line('found += list(child) if isinstance(child, torch.nn.ModuleList) else blocks_of(child)'),
    );
    body.line('return found');
  });
  text.define('def wrap(model, device)', (body) => {
    body.line(`options = {"reshard_after_forward": ${pythonLiteral(plan.strategy === 'fsdp-full')}}`);
    if (isAutocast(plan))
      body.line(
        `options["mp_policy"] = MixedPrecisionPolicy(param_dtype=${plan.precision === 'amp-fp16' ? 'torch.float16' : 'torch.bfloat16'}, reduce_dtype=torch.float32)`,
      );
    if (plan.offload === 'all')
      body.line('options["offload_policy"] = CPUOffloadPolicy(pin_memory=device.type == "cuda")');
    if (plan.lora?.dtype === 'fp32' && plan.precision === 'bf16')
      body.line(
        '# One shard group has one type: adapters follow the base model.',
        'model = model.to(torch.bfloat16)',
      );
    body.block('for block in blocks_of(model)', (loop) => loop.line('fully_shard(block, **options)'));
    body.line('fully_shard(model, **options)', 'return model');
  });
}

/** The optimizer over what is trained. */
export function writeOptimizer(text: PythonText, plan: LaunchPlan): void {
  text.define('def make_optimizer(model, learning_rate)', (body) => {
    body.line('parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]');
    if (plan.optimizer === 'adamw-8bit' || plan.optimizer === 'paged-adamw-8bit')
      body.line('import bitsandbytes', '');
    if (isTensorParallel(plan))
      body.line(
        '# Divided tensors and whole ones are two kinds, which an optimizer that works on many at once must not mix.',
        'divided = [parameter for parameter in parameters if isinstance(parameter, DTensor)]',
        'whole = [parameter for parameter in parameters if not isinstance(parameter, DTensor)]',
        'parameters = [{"params": group} for group in (divided, whole) if group]',
      );
    body.line(`return ${optimizerCall(plan)}`);
  });
}

function optimizerCall(plan: LaunchPlan): string {
  switch (plan.optimizer) {
    case 'adamw':
      return 'torch.optim.AdamW(parameters, lr=learning_rate, foreach=True)';
    case 'adamw-fused':
      return 'torch.optim.AdamW(parameters, lr=learning_rate, fused=True)';
    case 'adamw-loop':
      return 'torch.optim.AdamW(parameters, lr=learning_rate, foreach=False)';
    case 'sgd':
      return 'torch.optim.SGD(parameters, lr=learning_rate)';
    case 'sgd-momentum':
      return 'torch.optim.SGD(parameters, lr=learning_rate, momentum=0.9)';
    case 'adafactor':
      return 'Adafactor(parameters, lr=learning_rate, relative_step=False, scale_parameter=False)';
    case 'adamw-8bit':
      return 'bitsandbytes.optim.AdamW8bit(parameters, lr=learning_rate)';
    case 'paged-adamw-8bit':
      return 'bitsandbytes.optim.PagedAdamW8bit(parameters, lr=learning_rate)';
  }
}
