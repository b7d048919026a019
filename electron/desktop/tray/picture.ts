/** A picture as pixels: red, green, blue and alpha (not multiplied in), four bytes each, row by row from the top. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

export type Colour = readonly [red: number, green: number, blue: number];

/** The same picture as Electron's bitmaps want it: blue, green, red and alpha, with alpha multiplied in. */
export function toBitmap({ pixels }: Picture): Uint8Array {
  const bitmap = new Uint8Array(pixels.length);
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3] ?? 0;
    const multiplied = (channel: number): number => Math.round(((pixels[at + channel] ?? 0) * alpha) / 255);
    bitmap[at] = multiplied(2);
    bitmap[at + 1] = multiplied(1);
    bitmap[at + 2] = multiplied(0);
    bitmap[at + 3] = alpha;
  }
  return bitmap;
}
