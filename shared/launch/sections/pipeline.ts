import { isAutocast, type LaunchPlan } from '../plan';
import { pythonLiteral, type PythonText } from '../python';
import { modelClass, scheduleClass } from './head';
import { memorySnapshotParts, writeSnapshotAfterStep } from './memorySnapshot';

/** Everything of a pipeline's script that other strategies do otherwise: the stage, its weights, its step and how it is saved. */
export function writePipeline(text: PythonText, plan: LaunchPlan): void {
  writeStage(text, plan);
  writeBuild(text, plan);
  writeLoading(text);
  writeTable(text);
  if (plan.gradientClip) writeClipping(text);
}

function writeStage(text: PythonText, plan: LaunchPlan): void {
  text.define('class Stage(torch.nn.Module)', (body) => {
    body.line(
      '"""The part of the model that one card runs: token ids enter the first stage, hidden states the others; the last gives logits."""',
      '',
    );
    body.block('def __init__(self, model, index)', (init) => {
      init.line(
        'super().__init__()',
        'self.is_first, self.is_last = index == 0, index == len(STAGE_LAYERS) - 1',
        'self.first_layer, self.prefix = sum(STAGE_LAYERS[:index]), model.base_model_prefix',
        'self.base = model.base_model',
        'self.head = model.get_output_embeddings() if self.is_last else None',
        'self.is_tied = model.config.tie_word_embeddings',
      );
      init.block('if not self.is_first', (leaf) =>
        leaf.line('self.base.set_input_embeddings(torch.nn.Identity())'),
      );
      init.block('if not self.is_last', (leaf) =>
        leaf.line(
          'norms = [name for name, module in self.base.named_children() if "norm" in type(module).__name__.lower()]',
          'setattr(self.base, norms[-1], torch.nn.Identity())',
        ),
      );
    });
    body.blank();
    body.line('@property');
    body.block('def table(self)', (table) => {
      table.line('"""The embedding on the first stage, the weights of the head on the last."""');
      table.block('if self.is_first', (leaf) => leaf.line('return self.base.get_input_embeddings().weight'));
      table.line('return self.head.weight if self.is_last else None');
    });
    body.blank();
    body.block('def forward(self, x)', (forward) => {
      if (isAutocast(plan)) {
        forward.line(
          '# Entered for each micro-batch: its 16-bit copies of the weights live until its own backward.',
        );
        forward.block('with torch.autocast(x.device.type, dtype=HALF)', (leaf) => leaf.line(...stageForward));
      } else forward.line(...stageForward);
    });
    body.blank();
    body.block('def whole_name(self, name)', (leaf) => {
      leaf.line('"""The name of a tensor of this stage in the whole model."""');
      leaf.block('if name.startswith("head.")', (head) =>
        head.line('return f"lm_head.{name.removeprefix(\'head.\')}"'),
      );
      leaf.line(
        'shifted = re.sub(r"\\.(\\d+)\\.", lambda found: f".{int(found[1]) + self.first_layer}.", name, count=1)',
        'return f"{self.prefix}.{shifted.removeprefix(\'base.\')}"',
      );
    });
  });
}

const stageForward = [
  'hidden = (self.base(input_ids=x) if self.is_first else self.base(inputs_embeds=x)).last_hidden_state',
  'return hidden if self.head is None else self.head(hidden)',
];

function writeBuild(text: PythonText, plan: LaunchPlan): void {
  text.define('def build_stage(folder, index, device)', (body) => {
    body.line(
      '"""This rank\'s stage and the loss of the model. Without a folder its weights are random: enough to try the plan."""',
    );
    body.line(
      'config = AutoConfig.from_pretrained(HERE if folder is None else folder)',
      'first, count = sum(STAGE_LAYERS[:index]), STAGE_LAYERS[index]',
    );
    body.block('for name, value in config.to_dict().items()', (loop) =>
      loop.block('if isinstance(value, list) and len(value) == sum(STAGE_LAYERS)', (leaf) =>
        leaf.line('setattr(config, name, value[first : first + count])  # one entry a layer'),
      ),
    );
    body.line(
      'config.num_hidden_layers = count',
      'torch.manual_seed(0)',
      `model = ${modelClass(plan)}.from_config(config, dtype=torch.${plan.precision === 'bf16' ? 'bfloat16' : 'float32'}, attn_implementation=${pythonLiteral(plan.attention === 'eager' ? 'eager' : 'sdpa')})`,
      'model.config.use_cache = False',
    );
    body.block('if folder is not None', (leaf) => leaf.line('load_weights(model, folder, first, count)'));
    if (plan.checkpointing === 'full')
      body.line(
        'model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})',
      );
    body.line(
      'vocabulary, loss_function = config.vocab_size, model.loss_function',
      'stage = Stage(model, index).to(device)',
      '',
    );
    body.block('def loss_of(logits, labels)', (leaf) =>
      leaf.line('return loss_function(logits=logits, labels=labels, vocab_size=vocabulary)'),
    );
    body.line('', 'return stage, loss_of, vocabulary');
  });
}

function writeLoading(text: PythonText): void {
  text.define('def load_weights(model, folder, first, count)', (body) => {
    body.line(
      '"""Copies this stage\'s tensors from the files of a whole model, whose layers have other numbers."""',
      'own, loaded = model.state_dict(), set()',
    );
    body.block('for file in sorted(Path(folder).glob("*.safetensors"))', (files) =>
      files.block('with safe_open(file, "pt") as tensors', (opened) =>
        opened.block('for name in tensors.keys()', (names) => {
          names.line('layer = re.search(r"\\.(\\d+)\\.", name)');
          names.block('if layer is None', (leaf) => leaf.line('mine = name'));
          names.block('elif first <= int(layer[1]) < first + count', (leaf) =>
            leaf.line('mine = f"{name[: layer.start()]}.{int(layer[1]) - first}.{name[layer.end() :]}"'),
          );
          names.block('else', (leaf) => leaf.line('continue'));
          names.block('if mine in own', (leaf) =>
            leaf.line('own[mine].copy_(tensors.get_tensor(name))', 'loaded.add(own[mine].data_ptr())'),
          );
        }),
      ),
    );
    body.line('missing = [name for name, tensor in own.items() if tensor.data_ptr() not in loaded]');
    body.block('if missing', (leaf) =>
      leaf.line('raise SystemExit(f"{folder}: no weights for {missing[0]} and {len(missing) - 1} more")'),
    );
  });
}

/** Where head and embedding are one table, the first and the last stage each hold it and must keep it the same. */
function writeTable(text: PythonText): void {
  text.define('def table_group(stage)', (body) => {
    body.line(
      '"""The ranks that share the table of a tied head; none where it is not tied. Starts them with the same values."""',
    );
    body.block('if not stage.is_tied or len(STAGE_LAYERS) == 1', (leaf) => leaf.line('return None'));
    body.line(
      'last = len(STAGE_LAYERS) - 1',
      'group = dist.group.WORLD if last == 1 else dist.new_group([0, last])',
    );
    body.block('if stage.table is not None', (leaf) =>
      leaf.line('dist.broadcast(stage.table.data, src=0, group=group)'),
    );
    body.line('return group');
  });
}

function writeClipping(text: PythonText): void {
  text.define('def clip_gradients(stage, most)', (body) =>
    body.line(
      '"""Clips by the norm over all stages; a tied table is on two of them and counts once."""',
      'parameters = [parameter for parameter in stage.parameters() if parameter.grad is not None]',
      'is_second = stage.is_tied and stage.is_last and not stage.is_first',
      'counted = [parameter.grad for parameter in parameters if not (is_second and parameter is stage.table)]',
      'total = torch.nn.utils.get_total_norm(counted).float() ** 2',
      'dist.all_reduce(total)',
      'torch.nn.utils.clip_grads_with_norm_(parameters, most, total.sqrt())',
    ),
  );
}

/** The training loop: the schedule runs all micro-batches of a step and accumulates their gradients. */
export function writePipelineTraining(text: PythonText, plan: LaunchPlan): void {
  text.define('def train(args)', (body) => {
    body.line(
      'rank, device = set_up()',
      memorySnapshotParts.begin,
      'log.info("%s", " ".join(f"{key}={value}" for key, value in vars(args).items()))',
    );
    body.block('if dist.get_world_size() != len(STAGE_LAYERS)', (leaf) =>
      leaf.line('raise SystemExit(f"the plan has {len(STAGE_LAYERS)} stages: start as many processes")'),
    );
    body.line(
      'stage, loss_of, vocabulary = build_stage(args.model, rank, device)',
      'tokenizer = None if args.model is None else AutoTokenizer.from_pretrained(args.model)',
      '# Every stage reads the same samples in the same order.',
      'loader, _ = make_loader(TokenBlocks(args.data, tokenizer, vocabulary), shuffle_seed=0)',
      `schedule = ${scheduleClass(plan)}(PipelineStage(stage, rank, len(STAGE_LAYERS), device), ACCUMULATION_STEPS, loss_fn=loss_of)`,
      'tied = table_group(stage)',
      'optimizer = make_optimizer(stage, args.learning_rate)',
      'stage.train()',
      'step, started = 0, time.perf_counter()',
    );
    body.block('while step < args.steps', (loop) =>
      loop.block('for batch in loader', (inner) => {
        inner.line('losses = []');
        inner.block('if stage.is_first', (leaf) => leaf.line('schedule.step(batch["input_ids"].to(device))'));
        inner.block('elif stage.is_last', (leaf) =>
          leaf.line('schedule.step(target=batch["labels"].to(device), losses=losses, return_outputs=False)'),
        );
        inner.block('else', (leaf) => leaf.line('schedule.step()'));
        inner.block('if tied is not None and stage.table is not None', (leaf) =>
          leaf.line('dist.all_reduce(stage.table.grad, group=tied)'),
        );
        if (plan.gradientClip) inner.line('clip_gradients(stage, 1.0)');
        inner.line('optimizer.step()', 'optimizer.zero_grad(set_to_none=True)', 'step += 1');
        inner.block('if step % args.report_every == 0 or step == args.steps', (leaf) =>
          leaf.line(
            'seconds = (time.perf_counter() - started) / step',
            'loss = f"loss {torch.stack(losses).mean().item():.4f} " if losses else ""',
            'log.info("step %d %s%.3f s/step %s", step, loss, seconds, memory_line(device))',
          ),
        );
        writeSnapshotAfterStep(inner);
        inner.block('if step == min(4, args.steps)', (leaf) => leaf.line('compare_with_plan(rank, device)'));
        inner.block('if step == args.steps', (leaf) => leaf.line('break'));
      }),
    );
    body.block('if args.save is not None', (leaf) => leaf.line('save(stage, args, rank)'));
    body.line('log.info("done: %d steps", step)');
  });
}

/** Every stage writes its own file under the names of the whole model, so that the folder can be loaded as one. */
export function writePipelineSave(text: PythonText): void {
  text.define('def save(stage, args, rank)', (body) => {
    body.line(
      'folder, count = Path(args.save), len(STAGE_LAYERS)',
      'folder.mkdir(parents=True, exist_ok=True)',
      'part = f"model-{rank + 1:05d}-of-{count:05d}.safetensors"',
      'state = {stage.whole_name(name): tensor.cpu().contiguous() for name, tensor in stage.state_dict().items()}',
    );
    body.block('if stage.is_tied and not stage.is_first', (leaf) =>
      leaf.line('state.pop("lm_head.weight", None)'),
    );
    body.line(
      'save_file(state, folder / part, metadata={"format": "pt"})',
      'names = [None] * count',
      'dist.all_gather_object(names, list(state))',
    );
    body.block('if rank == 0', (leaf) =>
      leaf.line(
        'parts = {name: f"model-{index + 1:05d}-of-{count:05d}.safetensors" for index, own in enumerate(names) for name in own}',
        '(folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": parts}))',
        'AutoConfig.from_pretrained(HERE if args.model is None else args.model).save_pretrained(folder)',
      ),
    );
    body.line('dist.barrier()');
  });
}
