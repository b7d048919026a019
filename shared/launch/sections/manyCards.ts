import { isAutocast, type LaunchPlan } from '../plan';
import type { PythonText } from '../python';

/** torch.nn.DataParallel around a module that returns the loss alone. */
export function writeDataParallel(text: PythonText, plan: LaunchPlan): void {
  text.define('class LossOnly(torch.nn.Module)', (body) => {
    body.line(
      '"""What DataParallel copies to every card. It returns the loss alone, so that the first card gathers no logits."""',
      '',
    );
    body.block('def __init__(self, model)', (leaf) => leaf.line('super().__init__()', 'self.model = model'));
    body.blank();
    body.block('def forward(self, **batch)', (forward) => {
      if (isAutocast(plan)) {
        forward.line('# Here and not around the call: the threads of DataParallel do not know the type.');
        forward.block('with torch.autocast(next(iter(batch.values())).device.type, dtype=HALF)', (leaf) =>
          leaf.line('return self.model(**batch).loss.unsqueeze(0)'),
        );
      } else forward.line('return self.model(**batch).loss.unsqueeze(0)');
    });
  });
  text.define('def wrap(model, device)', (body) =>
    body.line(
      'cards = list(range(min(CARDS, torch.cuda.device_count())))',
      'return torch.nn.DataParallel(LossOnly(model), device_ids=cards or None)',
    ),
  );
}

/** Layers over the cards of one process, each with a hook that brings its input to its card. */
export function writePlacement(text: PythonText, plan: LaunchPlan): void {
  text.define('def moved(value, device, kept)', (body) => {
    body.line(
      '"""The same on another card. What needs no gradient (rotary tables, masks) is copied once a step and card."""',
    );
    body.block('if isinstance(value, torch.Tensor)', (tensor) => {
      tensor.block('if value.device == device or value.requires_grad', (leaf) =>
        leaf.line('return value.to(device)'),
      );
      tensor.block('if (id(value), device) not in kept', (leaf) =>
        leaf.line('kept[id(value), device] = value, value.to(device)'),
      );
      tensor.line('return kept[id(value), device][1]');
    });
    body.block('if isinstance(value, (tuple, list))', (leaf) =>
      leaf.line('return type(value)(moved(item, device, kept) for item in value)'),
    );
    body.block('if isinstance(value, dict)', (leaf) =>
      leaf.line('return {name: moved(item, device, kept) for name, item in value.items()}'),
    );
    body.line('return value');
  });
  text.define('def stack_of(base)', (body) => {
    body.line(
      '"""The module that holds the layers, and the layers: the longest list of modules."""',
      'found = base, []',
    );
    body.block('for module in base.modules()', (modules) =>
      modules.block('for child in module.children()', (children) =>
        children.block('if isinstance(child, torch.nn.ModuleList) and len(child) > len(found[1])', (leaf) =>
          leaf.line('found = module, child'),
        ),
      ),
    );
    body.line('return found');
  });
  text.define('def place(model, device)', (body) => {
    body.line(
      '"""Each layer on its card; what comes before them on the first, norm and head on the last, a tied head with its table."""',
      `whole = ${plan.method === 'full' ? 'model' : 'model.get_base_model()'}`,
      'base, kept, last = whole.base_model, {}, len(STAGE_LAYERS) - 1',
      'cards = [torch.device("cuda", card) if device.type == "cuda" else device for card in range(last + 1)]',
      'holder, blocks = stack_of(base)',
      'of_block = [cards[card] for card, count in enumerate(STAGE_LAYERS) for _ in range(count)]',
      '',
    );
    body.block('def bring(module, card)', (leaf) =>
      leaf.line(
        'module.register_forward_pre_hook(lambda _, args, names: (moved(args, card, kept), moved(names, card, kept)), with_kwargs=True)',
      ),
    );
    body.line(
      '',
      'in_blocks = {id(tensor) for tensor in itertools.chain(blocks.parameters(), blocks.buffers())}',
    );
    body.block('for tensor in itertools.chain(whole.parameters(), whole.buffers())', (loop) =>
      loop.block('if id(tensor) not in in_blocks', (leaf) =>
        leaf.line('tensor.data = tensor.data.to(cards[0])'),
      ),
    );
    body.block('for block, card in zip(blocks, of_block)', (leaf) =>
      leaf.line('bring(block.to(card), card)'),
    );
    body.block('for module in {*base.children(), *holder.children()}', (loop) =>
      loop.block('if "norm" in type(module).__name__.lower()', (leaf) =>
        leaf.line('bring(module.to(cards[last]), cards[last])'),
      ),
    );
    body.line('tied = whole.get_output_embeddings().weight is whole.get_input_embeddings().weight');
    body.block('for module in whole.children()', (loop) =>
      loop.block('if module is not base', (leaf) =>
        leaf.line('bring(module.to(cards[0 if tied else last]), cards[0 if tied else last])'),
      ),
    );
    body.line('base.register_forward_pre_hook(lambda *_: kept.clear())', 'return model');
  });
}
