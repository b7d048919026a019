import type { StringTable } from './pickle/values';
import type { SequenceTable } from './sequenceTable';

export interface StackFrame {
  readonly file: string;
  readonly function: string;
  readonly line: number;
}

/** The call stacks of a snapshot, innermost frame first; 0 is the empty one. */
export class CallStacks {
  private readonly frameCache = new Map<number, StackFrame>();

  constructor(
    private readonly strings: StringTable,
    private readonly frameTable: SequenceTable,
    private readonly stackTable: SequenceTable,
  ) {}

  get count(): number {
    return this.stackTable.count;
  }

  /** All frames, C++ ones included. */
  frames(stack: number): readonly StackFrame[] {
    return this.stackTable.items(stack).map((frame) => this.frame(frame));
  }

  /**
   * The frames of Python alone. PyTorch writes those that the interpreter inlined after the C++ frame `_start`, so the order of
   * the Python frames among themselves is right, whatever stands between them.
   */
  pythonFrames(stack: number): readonly StackFrame[] {
    return this.frames(stack).filter(isPythonFrame);
  }

  private frame(place: number): StackFrame {
    const known = this.frameCache.get(place);
    if (known !== undefined) return known;
    const frame = {
      file: this.strings.text(this.frameTable.item(place, 0)),
      function: this.strings.text(this.frameTable.item(place, 1)),
      line: this.frameTable.item(place, 2),
    };
    this.frameCache.set(place, frame);
    return frame;
  }
}

/** C++ frames name a source of C++, or `??`. Notebooks and `exec` have names in angle brackets. */
export const isPythonFrame = ({ file }: StackFrame): boolean =>
  /\.py$/.test(file) ||
  /^<(?:ipython|string|stdin|frozen|module|doctest)/i.test(file) ||
  /ipykernel_\d+/.test(file);

/** As PyTorch prints a frame: `train.py:38:main`. */
export const frameText = (frame: StackFrame): string => `${frame.file}:${frame.line}:${frame.function}`;
