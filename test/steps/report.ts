import { stepGrowth } from './countSteps';

const suspicious = 2.5;

/** Prints by how much the steps of reading an input grow when it is doubled, as one line of JSON. */
export function report(input: string, size: number, read: (size: number) => unknown): void {
  let growth = 0;
  let fault: string | null = null;
  try {
    growth = stepGrowth(size, read);
    // A step up at one place (a limit, a buffer) is not there at another size; a quadratic walk is.
    if (growth > suspicious) growth = Math.min(growth, stepGrowth(4 * size, read));
  } catch (error) {
    fault = String(error);
  }
  process.stdout.write(`${JSON.stringify({ input, growth, fault })}\n`);
}

/** A head, and then a piece again and again, of about so many characters. */
export function repeated(head: string, piece: string, size: number): string {
  return head + piece.repeat(Math.ceil(size / piece.length));
}
