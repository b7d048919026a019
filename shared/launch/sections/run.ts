import {
  dividesSamples,
  hasManyCards,
  hasRanks,
  hasScaler,
  isAutocast,
  isDataParallel,
  isDdp,
  isDeepSpeed,
  isFsdp,
  isPipeline,
  isPlaced,
  isTensorParallel,
  type LaunchPlan,
} from '../plan';
import type { PythonText } from '../python';
import { memorySnapshotParts, writeSnapshotAfterStep } from './memorySnapshot';
import { writePipelineSave, writePipelineTraining } from './pipeline';

/** Ranks, devices, logs and the attention kernels that the plan assumes. */
export function writeSetUp(text: PythonText, plan: LaunchPlan): void {
  text.define('def set_up()', (body) => {
    body.line(
      '"""This rank and its device. Every rank takes its own card before anything else touches one."""',
    );
    body.line('rank, local_rank = int(os.environ.get("RANK", "0")), int(os.environ.get("LOCAL_RANK", "0"))');
    body.block('if torch.cuda.is_available()', (leaf) =>
      leaf.line('device = torch.device("cuda", local_rank)', 'torch.cuda.set_device(device)'),
    );
    body.block('else', (leaf) => leaf.line('device = torch.device("cpu")'));
    if (hasRanks(plan)) {
      if (isDeepSpeed(plan)) body.line('deepspeed.init_distributed()');
      else {
        body.block('if device.type == "cuda"', (leaf) =>
          leaf.line('dist.init_process_group("nccl", device_id=device)'),
        );
        body.block('else', (leaf) => leaf.line('dist.init_process_group("gloo")'));
      }
    }
    for (const line of kernelLines(plan)) body.line(line);
    body.line('start_log(rank)', 'return rank, device');
  });
  text.define('def start_log(rank)', (body) =>
    body.line(
      `"""A file a rank, and on the terminal ${isPipeline(plan) ? 'the last stage' : 'rank 0'} and the errors of all."""`,
      '(HERE / "logs").mkdir(exist_ok=True)',
      'lines = logging.Formatter(f"%(asctime)s rank {rank} %(levelname)s %(message)s")',
      'file = logging.FileHandler(HERE / "logs" / f"rank{rank}.log", encoding="utf-8")',
      'terminal = logging.StreamHandler(sys.stdout)',
      `terminal.setLevel(logging.INFO if rank == ${isPipeline(plan) ? 'len(STAGE_LAYERS) - 1' : '0'} else logging.ERROR)`,
      'for handler in (file, terminal):',
      '    handler.setFormatter(lines)',
      '    log.addHandler(handler)',
      'log.setLevel(logging.INFO)',
    ),
  );
}

/** Which fused kernels PyTorch may take; `flash` keeps the efficient one for what it cannot serve. */
function kernelLines(plan: LaunchPlan): readonly string[] {
  const allowed = {
    cudnn: ['cudnn'],
    flash: ['flash', 'mem_efficient'],
    efficient: ['mem_efficient'],
    math: ['math'],
  } as const;
  if (plan.attention === 'sdpa' || plan.attention === 'eager') return [];
  const kernels: readonly string[] = allowed[plan.attention];
  return ['cudnn', 'flash', 'mem_efficient', 'math'].map(
    (kernel) =>
      `torch.backends.cuda.enable_${kernel}_sdp(${kernels.includes(kernel) || kernel === 'math' ? 'True' : 'False'})`,
  );
}

/** A line of memory for each report, and the comparison with the plan after the first steps. */
export function writeMemory(text: PythonText, plan: LaunchPlan): void {
  text.define('def memory_line(device)', (body) => {
    body.line('"""What the allocator holds now: it climbs from report to report where something leaks."""');
    body.block('if device.type != "cuda"', (leaf) => leaf.line('return "no card"'));
    body.line(
      'gib = 2**30',
      'allocated, peak = torch.cuda.memory_allocated(device), torch.cuda.max_memory_allocated(device)',
      'return f"allocated {allocated / gib:.2f} GiB, peak {peak / gib:.2f} GiB, reserved {torch.cuda.memory_reserved(device) / gib:.2f} GiB"',
    );
  });
  text.define('def compare_with_plan(rank, device)', (body) => {
    body.block('if device.type != "cuda" or rank >= len(PLANNED_PEAK_BYTES)', (leaf) => leaf.line('return'));
    body.line(
      'measured, planned = torch.cuda.max_memory_allocated(device), PLANNED_PEAK_BYTES[rank]',
      'share = 100 * (measured / planned - 1)',
      'log.info("headroom: measured peak %d bytes, planned %d bytes (%+.2f %%)", measured, planned, share)',
    );
    if (hasManyCards(plan))
      body.block(
        'for card in range(1, min(CARDS, torch.cuda.device_count(), len(PLANNED_PEAK_BYTES)))',
        (leaf) =>
          leaf.line(
            'measured, planned = torch.cuda.max_memory_allocated(card), PLANNED_PEAK_BYTES[card]',
            'share = 100 * (measured / planned - 1)',
            'log.info("headroom: card %d: measured peak %d bytes, planned %d bytes (%+.2f %%)", card, measured, planned, share)',
          ),
      );
  });
}

/** The training loop with accumulation, clipping and the scaler where the plan has them. */
export function writeTraining(text: PythonText, plan: LaunchPlan): void {
  if (isPipeline(plan)) {
    writePipelineTraining(text, plan);
    return;
  }
  text.define('def train(args)', (body) => {
    body.line(
      'rank, device = set_up()',
      memorySnapshotParts.begin,
      'log.info("%s", " ".join(f"{key}={value}" for key, value in vars(args).items()))',
    );
    body.line('model = build_model(args.model, device)');
    writeDataLines(body, plan);
    if (isDeepSpeed(plan))
      body.line(
        'trained = [parameter for parameter in model.parameters() if parameter.requires_grad]',
        'model, _, _, _ = deepspeed.initialize(model=model, model_parameters=trained, config=str(HERE / "deepspeed.json"))',
      );
    else {
      if (isDdp(plan) || isFsdp(plan) || isDataParallel(plan)) body.line('model = wrap(model, device)');
      if (isPlaced(plan)) body.line('model = place(model, device)');
      body.line('optimizer = make_optimizer(model, args.learning_rate)');
      if (hasScaler(plan)) body.line('scaler = torch.amp.GradScaler(device.type)');
    }
    body.line('model.train()', 'step, micro_step, epoch, started = 0, 0, 0, time.perf_counter()');
    body.block('while step < args.steps', (loop) => {
      if (dividesSamples(plan)) loop.line('sampler.set_epoch(epoch)');
      loop.block('for batch in loader', (inner) => writeStep(inner, plan));
      loop.line('epoch += 1');
    });
    body.block('if args.save is not None', (leaf) => leaf.line('save(model, args.save, rank)'));
    body.line('log.info("done: %d steps", step)');
  });
}

function writeDataLines(body: PythonText, plan: LaunchPlan): void {
  if (plan.task === 'image')
    body.line(
      'config = model.config',
      'dataset = RandomImages(config.image_size, config.num_channels, config.num_labels)',
    );
  else
    body.line(
      'tokenizer = None if args.model is None else AutoTokenizer.from_pretrained(args.model)',
      'dataset = TokenBlocks(args.data, tokenizer, model.config.get_text_config().vocab_size)',
    );
  body.line('loader, sampler = make_loader(dataset, shuffle_seed=0)');
}

function writeStep(inner: PythonText, plan: LaunchPlan): void {
  inner.line('batch = {name: value.to(device, non_blocking=True) for name, value in batch.items()}');
  // What the planner takes for granted of it: `scriptPixels`.
  const pixelType = pixelTypeOf(plan);
  if (plan.task === 'image' && pixelType !== null)
    inner.line(`batch["pixel_values"] = batch["pixel_values"].to(${pixelType})`);
  inner.line('micro_step += 1', 'is_last = micro_step % ACCUMULATION_STEPS == 0');
  if (isDeepSpeed(plan)) inner.line('loss = model(**batch).loss', 'model.backward(loss)', 'model.step()');
  else writeForwardBackward(inner, plan);
  // The first exchange comes before the step's end where every micro-batch has one.
  if (isDdp(plan) && plan.gradientSync === 'each') writeBucketPause(inner, 'micro_step');
  inner.block('if not is_last', (leaf) => leaf.line('continue'));
  if (!isDeepSpeed(plan)) writeOptimizerStep(inner, plan);
  inner.line('step += 1');
  if (isDdp(plan) && plan.gradientSync === 'last') writeBucketPause(inner, 'step');
  inner.block('if step % args.report_every == 0 or step == args.steps', (leaf) =>
    leaf.line(
      'seconds = (time.perf_counter() - started) / step',
      'log.info("step %d loss %.4f %.3f s/step %s", step, loss.item(), seconds, memory_line(device))',
    ),
  );
  writeSnapshotAfterStep(inner);
  inner.block('if step == min(4, args.steps)', (leaf) => leaf.line('compare_with_plan(rank, device)'));
  inner.block('if step == args.steps', (leaf) => leaf.line('break'));
}

/** The type that images must be cast to, which is that of the weights; DeepSpeed keeps those in 16 bits. Null: fp32, as they are made. */
function pixelTypeOf(plan: LaunchPlan): string | null {
  if (plan.precision === 'bf16' || (isDeepSpeed(plan) && plan.precision === 'amp-bf16'))
    return 'torch.bfloat16';
  return isDeepSpeed(plan) && plan.precision === 'amp-fp16' ? 'torch.float16' : null;
}

/**
 * DDP makes new buckets in the forward after the first exchange. The old ones are freed only when NCCL's watchdog, which looks every
 * 100 ms, lets go of their work: without a pause both sets exist at once. Measured on one and two H200s: one whole set more in allocated
 * and reserved.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp (kWatchdogThreadSleepMillis)
 */
function writeBucketPause(inner: PythonText, counter: 'step' | 'micro_step'): void {
  const what = counter === 'step' ? 'step' : 'micro-batch';
  inner.block(`if ${counter} == 1 and device.type == "cuda"`, (leaf) =>
    leaf.line(
      `# The second ${what} makes DDP's buckets anew; a pause lets NCCL's watchdog give up the old ones first.`,
      'torch.cuda.synchronize(device)',
      'time.sleep(0.5)',
    ),
  );
}

function writeForwardBackward(inner: PythonText, plan: LaunchPlan): void {
  const exchangesLast = plan.gradientSync === 'last';
  if (isFsdp(plan) && exchangesLast) inner.line('model.set_requires_gradient_sync(is_last)');
  const contexts = [
    isDdp(plan) && exchangesLast ? 'contextlib.nullcontext() if is_last else model.no_sync()' : null,
    isAutocast(plan) && !isFsdp(plan) && !isDataParallel(plan)
      ? 'torch.autocast(device.type, dtype=HALF)'
      : null,
  ].filter((context) => context !== null);
  const forward = isDataParallel(plan) ? 'loss = model(**batch).mean()' : 'loss = model(**batch).loss';
  const loss = plan.accumulationSteps > 1 ? '(loss / ACCUMULATION_STEPS)' : 'loss';
  const backward = hasScaler(plan)
    ? `scaler.scale(${loss.replace(/^\((.*)\)$/, '$1')}).backward()`
    : `${loss}.backward()`;
  const [first, second] = contexts;
  if (first === undefined) inner.line(forward, backward);
  else if (isDdp(plan) && exchangesLast)
    // Backward belongs under no_sync too, but not under autocast.
    inner.block(`with ${first}`, (synced) => {
      if (second === undefined) synced.line(forward);
      else synced.block(`with ${second}`, (leaf) => leaf.line(forward));
      synced.line(backward);
    });
  else inner.block(`with ${first}`, (leaf) => leaf.line(forward)).line(backward);
}

function writeOptimizerStep(inner: PythonText, plan: LaunchPlan): void {
  if (plan.gradientClip) {
    if (hasScaler(plan)) inner.line('scaler.unscale_(optimizer)');
    inner.line('torch.nn.utils.clip_grad_norm_([p for p in model.parameters() if p.requires_grad], 1.0)');
  }
  if (hasScaler(plan)) inner.line('scaler.step(optimizer)', 'scaler.update()');
  else inner.line('optimizer.step()');
  inner.line('optimizer.zero_grad(set_to_none=True)');
}

/** Saving on request: one writer, and for shards the whole state gathered on the CPU of rank 0. */
export function writeSave(text: PythonText, plan: LaunchPlan): void {
  if (isPipeline(plan)) {
    writePipelineSave(text);
    return;
  }
  text.define('def save(model, folder, rank)', (body) => {
    if (isDeepSpeed(plan)) {
      body.line('model.save_checkpoint(str(folder))');
      return;
    }
    if (isFsdp(plan))
      body.line(
        'from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict',
        '',
        'state = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))',
      );
    const target = isDdp(plan) ? 'model.module' : isDataParallel(plan) ? 'model.module.model' : 'model';
    const write = isFsdp(plan)
      ? `${target}.save_pretrained(folder, state_dict=state)`
      : `${target}.save_pretrained(folder)`;
    // Divided tensors are put together by all ranks, of which one writes.
    if (isTensorParallel(plan)) body.line('model.save_pretrained(folder, is_main_process=rank == 0)');
    else body.block('if rank == 0', (leaf) => leaf.line(write));
    if (hasRanks(plan)) body.line('dist.barrier()');
  });
}

/** Arguments, and the end: a rank that fails says so, leaves at once and so lets torchrun end the others. */
export function writeMain(text: PythonText, plan: LaunchPlan): void {
  const decorator = hasRanks(plan) ? '@record' : null;
  text.blank(2);
  if (decorator !== null) text.line(decorator);
  text.block('def main()', (body) => {
    body.line('parser = argparse.ArgumentParser(description=__doc__)');
    body.line(
      'parser.add_argument("--model", help="folder with weights and tokenizer; without it: random weights")',
    );
    if (plan.task !== 'image')
      body.line(
        'parser.add_argument("--data", help="folder with .txt or .jsonl files; without it: a built-in sample")',
      );
    body.line(
      'parser.add_argument("--steps", type=int, default=100, help="optimizer steps")',
      'parser.add_argument("--learning-rate", type=float, default=1e-5)',
      'parser.add_argument("--report-every", type=int, default=10)',
      'parser.add_argument("--save", help="folder to save to at the end")',
      memorySnapshotParts.argument,
      'args = parser.parse_args()',
    );
    body.block('try', (leaf) => leaf.line('train(args)'));
    body.block('except Exception', (leaf) =>
      leaf.line(
        'log.exception("this rank failed first, or saw another one fail")',
        memorySnapshotParts.atFailure,
        'raise',
      ),
    );
    if (hasRanks(plan)) body.line('dist.destroy_process_group()');
  });
  text.blank(2).block('if __name__ == "__main__"', (body) => {
    if (hasRanks(plan)) {
      body.block('try', (leaf) => leaf.line('main()'));
      body.block('except SystemExit', (leaf) => leaf.line('raise'));
      body.block('except BaseException', (leaf) =>
        leaf.line(
          '# Leave without waiting for ranks that will never answer; torchrun then ends them.',
          'logging.shutdown()',
          'os._exit(1)',
        ),
      );
    } else body.line('main()');
  });
}
