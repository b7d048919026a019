/** The rotary tables that a decoder makes in front of its blocks, in the ways that its family's code has. */
import { hold } from '../../../memory/tape/tape';
import { FP32 } from '../../../memory/tape/tensor';
import type { Layer, Stack } from '../../../model/architecture';
import type { Forward } from '../../forward';
import type { DecoderCode } from './causalDecoder';
import { type RotaryTables, complexRotaryTable, holdTables, rotaryTables, rotaryTablesAnew } from './rotary';

/** Tokens of the window that a layer's attention sees; null: all of them. */
export const windowOf = ({ mixer }: Layer): number | null =>
  mixer.kind === 'attention' ? mixer.window : null;

const slides = (layer: Layer): boolean => windowOf(layer) !== null;

/** Makes the tables, one pair or one for each kind of layer in the order of their first layers; gives those of a layer. */
export function heldTables(
  forward: Forward,
  stack: Stack,
  code: Pick<DecoderCode, 'tables' | 'tablesFor'>,
  hiddenBytes: number,
): (layer: Layer) => RotaryTables {
  const width = tableWidth(stack);
  if (code.tablesFor === 'all-layers') {
    const tables = decoderTables(forward, code.tables, width, hiddenBytes);
    return () => tables;
  }
  const made = new Map<boolean, RotaryTables>();
  for (const layer of stack.layers)
    if (!made.has(slides(layer)))
      made.set(slides(layer), decoderTables(forward, code.tables, width, hiddenBytes));
  return (layer) => {
    const tables = made.get(slides(layer));
    if (tables === undefined) throw new Error('Every kind of layer has its tables.');
    return tables;
  };
}

/** Elements of a head that the tables are made for: Falcon makes them beside ALiBi, too. */
function tableWidth({ layers, positions }: Stack): number {
  if (positions.kind === 'rope') return positions.rotaryDim;
  const [layer] = layers;
  return positions.kind === 'alibi' && layer?.mixer.kind === 'attention' ? layer.mixer.headDim : 0;
}

/** One pair of tables, held. */
function decoderTables(
  { bufferBytes, sequence, tape }: Forward,
  kind: DecoderCode['tables'],
  rotaryDim: number,
  hiddenBytes: number,
): RotaryTables {
  switch (kind) {
    case 'complex': {
      const table = hold(complexRotaryTable(tape, sequence, rotaryDim, bufferBytes));
      return { cos: table, sin: table };
    }
    case 'anew':
      return holdTables(rotaryTablesAnew(tape, sequence, rotaryDim, hiddenBytes));
    case 'fp32':
      return holdTables(rotaryTables(tape, sequence, rotaryDim, bufferBytes, FP32));
    case 'hidden-type':
      return holdTables(rotaryTables(tape, sequence, rotaryDim, bufferBytes, hiddenBytes));
    case 'single':
      return holdTables(rotaryTables(tape, sequence, rotaryDim, bufferBytes, hiddenBytes, 'single'));
  }
}
