/** Whether what was read can be a model at all, before anything counts or simulates it. */
import { message } from '../i18n/message';
import type { Architecture, Layer } from './architecture';
import type { ConfigFields } from './configFields';
import type { ModuleNode } from './modules';
import { UnreadableModel } from './unreadableModel';

/** More than ten times what the largest published models have when each expert is a module. */
const maxTensors = 400_000;

/** Throws a Refusal where the layers or modules of an architecture cannot be built. */
export function checkArchitecture({ stacks, modules }: Pick<Architecture, 'stacks' | 'modules'>): void {
  for (const { layers } of stacks) for (const layer of new Set(layers)) checkHeads(layer);
  checkTree(modules);
}

/** Each key and value head serves as many query heads as every other. */
function checkHeads({ mixer, cross }: Layer): void {
  for (const attention of [mixer, cross]) {
    if (attention?.kind !== 'attention') continue;
    const { heads, keyValueHeads } = attention;
    if (heads % keyValueHeads !== 0)
      throw new UnreadableModel(message('model.headsDisagree', { heads, keyValueHeads }));
  }
}

/**
 * Throws where the shape of a parameter or buffer has a side that is no whole number from 1 up (sizes that do not fit together, such as
 * more groups than channels), and where there are absurdly many tensors or elements.
 */
function checkTree(root: ModuleNode): void {
  let tensors = 0;
  let elements = 0;
  const visit = (node: ModuleNode, path: string): void => {
    for (const { name, shape } of [...node.parameters, ...node.buffers]) {
      tensors++;
      elements += shape.reduce((product, side) => product * side, 1);
      if (shape.every((side) => Number.isSafeInteger(side) && side >= 1)) continue;
      throw new UnreadableModel(
        message('model.sizesDisagree', { tensor: `${path}${name}`, shape: `[${shape.join(', ')}]` }),
      );
    }
    if (tensors > maxTensors)
      throw new UnreadableModel(message('model.tooManyTensors', { limit: maxTensors }));
    // Beyond this the count would not be exact.
    if (elements > Number.MAX_SAFE_INTEGER) throw new UnreadableModel(message('model.tooLarge'));
    for (const child of node.children) visit(child, `${path}${child.name}.`);
  };
  visit(root, '');
}

/** Lists with an entry for each layer; some files append entries for layers that predict further tokens. */
const layerLists = [
  'layer_types',
  'mlp_layer_types',
  'moe_layer_freq',
  'hybrid_layer_pattern',
  'no_rope_layers',
  'attention_layers',
];

/** Throws a Refusal where a list has fewer entries than a config, or its language model, has layers. */
export function checkLists(fields: ConfigFields): void {
  const layers = fields.optionalSize('num_hidden_layers');
  if (layers === null) return;
  for (const name of layerLists) {
    const value = fields.find(name)?.value;
    if (!Array.isArray(value) || value.length === 0 || value.length >= layers) continue;
    throw new UnreadableModel(
      message('model.listTooShort', { field: fields.pathOf(name), listed: value.length, layers }),
    );
  }
}
