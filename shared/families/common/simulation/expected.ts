/**
 * What a family's code takes for granted of a model. Asked for something that the model does not have, each function throws
 * `MissingPart`: the code is another model's then, and the dry run (`memory/dryRun.ts`) leaves the model to the code that simulates any.
 */
import { MissingPart, type Module } from '../../../memory/tape/module';
import type { Tensor } from '../../../memory/tape/tensor';
import type {
  Architecture,
  Inputs,
  Layer,
  MixtureOfExperts,
  Mlp,
  SoftmaxAttention,
  Stack,
} from '../../../model/architecture';

/** The first stack of the model: the only one, or the encoder. */
export function firstStack({ stacks }: Architecture): Stack {
  const [stack] = stacks;
  if (stack === undefined) throw new MissingPart('The model has no stack of layers.');
  return stack;
}

/** The decoder of a model that has nothing else; one that sees or hears is another's. */
export function decoderStack({ stacks }: Architecture): Stack {
  const [stack, ...others] = stacks;
  if (stack?.role !== 'decoder' || others.length > 0) throw new MissingPart('The model is no decoder alone.');
  return stack;
}

/** Both stacks of an encoder-decoder. */
export function encoderAndDecoder({ stacks }: Architecture): readonly [encoder: Stack, decoder: Stack] {
  const [encoder, decoder] = stacks;
  if (encoder === undefined || decoder === undefined)
    throw new MissingPart('The model has no encoder and decoder.');
  return [encoder, decoder];
}

/** The facts of a layer of softmax attention and an MLP, which is what most code simulates. */
export function plainLayer({ mixer, feedForward }: Layer): {
  readonly mixer: SoftmaxAttention;
  readonly feedForward: Mlp;
} {
  if (mixer.kind !== 'attention') throw new MissingPart('The layer has no softmax attention.');
  if (feedForward.kind !== 'mlp') throw new MissingPart('The layer has no MLP.');
  return { mixer, feedForward };
}

/** The heads of a stack's attention, which all its layers share. */
export function headsOf({ layers }: Stack): number {
  const [layer] = layers;
  if (layer?.mixer.kind !== 'attention') throw new MissingPart('The layers have no softmax attention.');
  return layer.mixer.heads;
}

/** To how many experts each token goes. */
export function expertsPerTokenOf({ expertsPerToken }: MixtureOfExperts): number {
  if (expertsPerToken === null) throw new MissingPart('How many experts a token goes to is not known.');
  return expertsPerToken;
}

/** How many positions the stack's table has. */
export function positionsOf({ maxPositions }: Stack): number {
  if (maxPositions === null) throw new MissingPart('How many positions the model has is not known.');
  return maxPositions;
}

type PatchInputs = Extract<Inputs, { kind: 'patches' }> & { readonly patches: number };

type AudioInputs = Extract<Inputs, { kind: 'audio' }> & { readonly frames: number };

/** What a stack reads, where that is images of one size. */
export function imagesOf({ inputs }: Stack): PatchInputs {
  if (inputs.kind !== 'patches') throw new MissingPart('The stack reads no images.');
  const { patches } = inputs;
  if (patches === null) throw new MissingPart('How many patches an image has is not known.');
  return { ...inputs, patches };
}

/** What a stack hears, where that is audio of one length. */
export function audioOf({ inputs }: Stack): AudioInputs {
  if (inputs.kind !== 'audio') throw new MissingPart('The stack hears no audio.');
  const { frames } = inputs;
  if (frames === null) throw new MissingPart('How many frames a sample has is not known.');
  return { ...inputs, frames };
}

/** Whether there is a module at a dotted path. */
export function hasPath(root: Module, path: string): boolean {
  let module = root;
  for (const name of path.split('.')) {
    if (!module.has(name)) return false;
    module = module.child(name);
  }
  return true;
}

/** The size of one of a tensor's dimensions, counted from the outermost. */
export function dimension({ shape }: Tensor, index: number): number {
  const size = shape[index];
  if (size === undefined)
    throw new Error(`A tensor of ${shape.length} dimensions has no dimension ${index}.`);
  return size;
}
