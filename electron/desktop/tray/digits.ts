/** The size of a digit and of its strokes, in whole pixels. */
export interface DigitShape {
  readonly width: number;
  readonly height: number;
  /** How wide the strokes are that go down. */
  readonly down: number;
  /** How high the strokes are that go across. */
  readonly across: number;
}

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Segment = 'top' | 'upperLeft' | 'upperRight' | 'middle' | 'lowerLeft' | 'lowerRight' | 'bottom';

/** Digits of seven strokes: no font file is needed, and on whole pixels they read well at any size. */
const segments: Readonly<Record<string, readonly Segment[]>> = {
  '0': ['top', 'upperLeft', 'upperRight', 'lowerLeft', 'lowerRight', 'bottom'],
  '1': ['upperRight', 'lowerRight'],
  '2': ['top', 'upperRight', 'middle', 'lowerLeft', 'bottom'],
  '3': ['top', 'upperRight', 'middle', 'lowerRight', 'bottom'],
  '4': ['upperLeft', 'upperRight', 'middle', 'lowerRight'],
  '5': ['top', 'upperLeft', 'middle', 'lowerRight', 'bottom'],
  '6': ['top', 'upperLeft', 'middle', 'lowerLeft', 'lowerRight', 'bottom'],
  '7': ['top', 'upperRight', 'lowerRight'],
  '8': ['top', 'upperLeft', 'upperRight', 'middle', 'lowerLeft', 'lowerRight', 'bottom'],
  '9': ['top', 'upperLeft', 'upperRight', 'middle', 'lowerRight', 'bottom'],
  '-': ['middle'],
};

/** The room a character takes: a 1 is its one stroke. */
export function digitWidth(character: string, shape: DigitShape): number {
  return character === '1' ? shape.down : shape.width;
}

/** The strokes of a digit or a dash, from its own upper left corner; nothing for any other character. */
export function digitBars(character: string, shape: DigitShape): readonly Bar[] {
  return (segments[character] ?? []).map((segment) => barOf(segment, digitWidth(character, shape), shape));
}

function barOf(segment: Segment, width: number, { height, down, across }: DigitShape): Bar {
  const middle = Math.round((height - across) / 2);
  const right = width - down;
  switch (segment) {
    case 'top':
      return { x: 0, y: 0, width, height: across };
    case 'middle':
      return { x: 0, y: middle, width, height: across };
    case 'bottom':
      return { x: 0, y: height - across, width, height: across };
    case 'upperLeft':
      return { x: 0, y: 0, width: down, height: middle + across };
    case 'upperRight':
      return { x: right, y: 0, width: down, height: middle + across };
    case 'lowerLeft':
      return { x: 0, y: middle, width: down, height: height - middle };
    case 'lowerRight':
      return { x: right, y: middle, width: down, height: height - middle };
  }
}
