/** Rotary positions as transformers computes and applies them. */
import { add, cast, multiply, negate, scale, subtract } from '../../../memory/operations/elementwise';
import { concatenate, copyForward, slice, split } from '../../../memory/operations/layout';
import { type Tape, hold, holdAll, last, release } from '../../../memory/tape/tape';
import { FP32, HALF, INT64, type Tensor, width } from '../../../memory/tape/tensor';

export interface RotaryTables {
  readonly cos: Tensor;
  readonly sin: Tensor;
}

/**
 * How a family's code turns query and key.
 * `halves`: x · cos + (−x₂, x₁) · sin over two halves. `neighbours`: over pairs of neighbours, with tables spread anew in each
 * layer (GLM). `wide-neighbours`: the same in fp32, with tables made spread (Cohere). `wide-tables`: halves, with tables that
 * stay in fp32, so that the result is cast back (OLMo). `crossed-pairs`: (x₁ · cos − x₂ · sin, x₂ · cos + x₁ · sin) with the first half
 * of the tables, of neighbours that are put in halves (DeepSeek V3). `crossed-halves`: the same of halves, with tables of that width
 * (gpt-oss).
 */
type RotaryForm =
  'halves' | 'neighbours' | 'wide-neighbours' | 'wide-tables' | 'crossed-pairs' | 'crossed-halves';

/**
 * Where a head that is rotated in part is taken apart: in the function that rotates, which renames the turned part, returns
 * both joins at once (Nemotron) or joins in one expression, even where nothing is left over (Phi-3), or in attention, which names
 * the parts.
 */
type PartialRotation = 'inside' | 'returned' | 'nested' | 'outside';

export interface RotaryCode {
  readonly form: RotaryForm;
  readonly parts: PartialRotation;
}

/** The tables as a checkpointed block gets them. */
export function givenTables(cos: Tensor | null | undefined, sin: Tensor | null | undefined): RotaryTables {
  if (!cos || !sin) throw new Error('The block needs its rotary tables.');
  return { cos, sin };
}

/** Both tables under names. */
export const holdTables = ({ cos, sin }: RotaryTables): RotaryTables => ({ cos: hold(cos), sin: hold(sin) });

/**
 * `RotaryEmbedding.forward`: the angles of every position in fp32 (a product, so it may take cuBLAS' workspace), doubled or not,
 * their cosine and sine, each scaled, then cast to the hidden states' type: [sequence, rotated elements], or half as many where they are
 * not doubled. `bufferBytes` is the element size of `inv_freq`. Nothing of it has a gradient.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/llama/modeling_llama.py#L113
 */
export function rotaryTables(
  tape: Tape,
  sequence: number,
  rotaryDim: number,
  bufferBytes: number,
  hiddenBytes: number,
  tableWidth: 'doubled' | 'single' = 'doubled',
): RotaryTables {
  const [cos, sin] = tape.frame([], () => {
    const half = rotaryDim / 2;
    if (bufferBytes !== FP32) hold(tape.create([half], FP32));
    hold(tape.create([sequence], FP32));
    const single = hold(tape.create([sequence, half], FP32));
    tape.useCublas();
    const angles = tableWidth === 'single' ? single : hold(tape.create([sequence, rotaryDim], FP32));
    const wideCos = hold(scaledCopy(angles));
    const wideSin = hold(scaledCopy(angles));
    return [cast(wideCos, hiddenBytes), cast(wideSin, hiddenBytes)];
  });
  return { cos, sin };
}

/**
 * The same with the length read from the positions and frequencies from the processor.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/phimoe/modeling_phimoe.py#L84
 */
export const rotaryTablesAnew = (
  tape: Tape,
  sequence: number,
  rotaryDim: number,
  hiddenBytes: number,
): RotaryTables => {
  const [cos, sin] = tape.frame([], () => {
    const longest = tape.create([1], INT64);
    hold(tape.create([1], INT64));
    release(longest);
    const made = rotaryTables(tape, sequence, rotaryDim, HALF, hiddenBytes);
    return [made.cos, made.sin];
  });
  return { cos, sin };
};

/**
 * DeepSeek V2's table: the angles as complex numbers of length one in fp32 [sequence, rotated elements / 2], scaled.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/deepseek_v2/modeling_deepseek_v2.py#L217
 */
export function complexRotaryTable(
  tape: Tape,
  sequence: number,
  rotaryDim: number,
  bufferBytes: number,
): Tensor {
  return tape.frame([], () => {
    const half = rotaryDim / 2;
    if (bufferBytes !== FP32) hold(tape.create([half], FP32));
    hold(tape.create([sequence], FP32));
    const angles = hold(tape.create([sequence, half], FP32));
    tape.useCublas();
    const lengths = tape.create(angles.shape, FP32);
    const complex = tape.create([sequence, rotaryDim], FP32);
    release(lengths);
    return scale(complex);
  });
}

/** `angles.cos() * attention_scaling`. */
function scaledCopy(angles: Tensor): Tensor {
  return scale(angles.tape.create(angles.shape, FP32));
}

/**
 * Turns a query and a key [batch, heads, positions, d], which the caller has named and now rebinds; the results, of the same shapes, are
 * held. Elements of a head beyond the tables' width pass. Backward keeps the tables only, as products with what has no gradient do.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/llama/modeling_llama.py#L138
 */
export function rotateQueryAndKey(
  code: RotaryCode,
  query: Tensor,
  key: Tensor,
  tables: RotaryTables,
): [Tensor, Tensor] {
  if (code.parts === 'outside' && width(tables.cos.shape) < width(query.shape))
    return rotateNamedParts(code.form, query, key, tables);
  const { tape } = query;
  const [turnedQuery, turnedKey] = holdAll(tape.frame([], () => apply(code, query, key, tables)));
  release(query);
  release(key);
  return [turnedQuery, turnedKey];
}

/** `apply_rotary_pos_emb`. */
function apply({ form, parts }: RotaryCode, query: Tensor, key: Tensor, tables: RotaryTables): Both {
  switch (form) {
    case 'halves':
      return applyToParts(parts, query, key, tables);
    case 'neighbours':
      return applyToParts(parts, query, key, spread(tables));
    case 'wide-neighbours': {
      const wide = ofBoth([query, key], (x) => hold(cast(x, FP32)));
      return castBack(
        ofBoth(wide, (x) => hold(rotate(x, tables))),
        query.elementBytes,
      );
    }
    case 'wide-tables':
      return castBack(
        ofBoth([query, key], (x) => hold(rotate(x, tables))),
        query.elementBytes,
      );
    case 'crossed-pairs':
      return crossedPairs(query, key, tables);
    case 'crossed-halves':
      return ofBoth([query, key], (x) => hold(crossedHalves(x, tables)));
  }
}

/** Query and key, or what becomes of them. */
type Both = readonly [query: Tensor, key: Tensor];

const ofBoth = <T>([query, key]: Both, step: (x: Tensor) => T): readonly [T, T] => [step(query), step(key)];

const castBack = (both: Both, elementBytes: number): Both => ofBoth(both, (x) => cast(x, elementBytes));

/**
 * The first halves of tables that are doubled, and pairs of neighbours put into halves.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/deepseek_v3/modeling_deepseek_v3.py#L322
 */
function crossedPairs(query: Tensor, key: Tensor, tables: RotaryTables): Both {
  const cos = hold(slice(tables.cos, width(tables.cos.shape) / 2));
  const sin = hold(slice(tables.sin, width(tables.sin.shape) / 2));
  const halves = ofBoth([query, key], (x) => {
    const half = width(x.shape) / 2;
    return { first: hold(slice(x, half)), second: hold(slice(x, half)) };
  });
  const [ofQuery, ofKey] = halves;
  const turned = hold(crossed(ofQuery.first, ofQuery.second, { cos, sin }, false));
  return [turned, hold(crossed(ofKey.first, ofKey.second, { cos, sin }, false))];
}

/**
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt_oss/modeling_gpt_oss.py#L215
 */
function crossedHalves(x: Tensor, tables: RotaryTables): Tensor {
  const half = width(x.shape) / 2;
  return x.tape.frame([], () => {
    const [first, second] = holdAll(split(x, [half, half]));
    return crossed(first, second, tables, true);
  });
}

/** `cat((x₁ · cos − x₂ · sin, x₂ · cos + x₁ · sin))`; the parts are named until the caller returns, or gone at once. */
function crossed(first: Tensor, second: Tensor, { cos, sin }: RotaryTables, named: boolean): Tensor {
  const one = hold(subtract(multiply(first, cos), multiply(second, sin)));
  const other = hold(add(multiply(second, cos), multiply(first, sin)));
  return concatenate(named ? [one, other] : [last(one), last(other)]);
}

/** Takes both apart, turns the first parts, joins the second ones on again; the names of the turned parts are rebound. */
function applyToParts(how: PartialRotation, query: Tensor, key: Tensor, tables: RotaryTables): Both {
  const rotated = width(tables.cos.shape);
  if (rotated === width(query.shape) && how !== 'nested')
    return ofBoth([query, key], (x) => hold(rotate(x, tables)));
  const [ofQuery, ofKey] = ofBoth([query, key], (x) => ({
    first: hold(slice(x, rotated)),
    rest: hold(slice(x, width(x.shape) - rotated)),
  }));
  if (how === 'nested') {
    const whole = hold(concatenate([rotate(ofQuery.first, tables), ofQuery.rest]));
    return [whole, hold(concatenate([rotate(ofKey.first, tables), ofKey.rest]))];
  }
  const turned = ofBoth([ofQuery.first, ofKey.first], (x) => hold(rotate(x, tables)));
  const [firstQuery, firstKey] = how === 'returned' ? turned : ofBoth(turned, last);
  const whole = hold(concatenate([firstQuery, ofQuery.rest]));
  return [whole, hold(concatenate([firstKey, ofKey.rest]))];
}

/** The parts are named in attention itself, as long as it runs. */
function rotateNamedParts(
  form: RotaryForm,
  query: Tensor,
  key: Tensor,
  tables: RotaryTables,
): [Tensor, Tensor] {
  const rotated = width(tables.cos.shape);
  const cut = (x: Tensor): [Tensor, Tensor] => [
    hold(slice(x, rotated)),
    hold(slice(x, width(x.shape) - rotated)),
  ];
  const [firstQuery, restQuery] = cut(query);
  const [firstKey, restKey] = cut(key);
  const [turnedQuery, turnedKey] = rotateQueryAndKey({ form, parts: 'inside' }, firstQuery, firstKey, tables);
  const wholeQuery = hold(concatenate([turnedQuery, restQuery]));
  release(query);
  const wholeKey = hold(concatenate([turnedKey, restKey]));
  release(key);
  return [wholeQuery, wholeKey];
}

/** The tables' first halves with every element twice (`repeat_interleave`). */
function spread({ cos, sin }: RotaryTables): RotaryTables {
  return { cos: hold(copyForward(cos)), sin: hold(copyForward(sin)) };
}

/** `x * cos + rotate_half(x) * sin`: of x's shape, in the wider type of x and tables. */
export function rotate(x: Tensor, { cos, sin }: RotaryTables): Tensor {
  const { tape } = x;
  return tape.frame([x], () => add(multiply(x, cos), multiply(rotateHalf(x), sin)));
}

/** The same memory for halves (`cat`) and for pairs of neighbours (`stack`). */
export function rotateHalf(x: Tensor): Tensor {
  const half = width(x.shape) / 2;
  return x.tape.frame([x], () => {
    const first = hold(slice(x, half));
    const second = hold(slice(x, half));
    return concatenate([negate(second), first]);
  });
}
