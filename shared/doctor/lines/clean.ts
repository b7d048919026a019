/* eslint-disable no-control-regex -- escape sequences are what this file is about */

/**
 * One line as it was meant: without colour codes, their remnants where a browser or a log shipper ate the escape
 * character, boxes that `rich` draws, and Markdown emphasis. Control characters below 0x10 stay, because PyTorch 2.2
 * printed the card's index as one (https://github.com/pytorch/pytorch/pull/123984).
 */
export function cleanLine(raw: string): string {
  return suspicious.test(raw) ? trimBox(stripEscapes(raw)) : raw;
}

/** Whether a line has anything that `cleanLine` would change; most lines of most logs have not. */
const suspicious =
  /[\x1b\x7f-\x9f\u00a0\u200b-\u200f\u2028\u2029\u2060\ufeff\u2500-\u257f\u241b\u2018-\u201f\uff08-\uff1b[\\^*]/;

const escapeSequences =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[()*+][A-Z0-9]|\x1b[@-_]|\x9b[0-?]*[@-~]/g;
const spelledEscapes = /(?:\\x1b|\\u001b|\\033|\\e|\^\[|\u241b)\[[0-9;?]{0,20}[A-Za-z]/gi;
/** `[36m` or `[0m` left alone; `[10m 5s]` is a duration and stays. */
const orphanedColours = /\[\d{1,3}(?:;\d{1,3}){0,5}m(?![\s\d\]])|\[(?:0|22|39|49)m/g;
const invisible = /[\u200b-\u200f\u2028\u2029\u2060\ufeff\x7f]/g;

/** A reset beside it shows that what looks like a duration is a colour. */
const reset = /\[(?:0|22|39|49)?m/;
const anyOrphan = /\[\d{1,3}(?:;\d{1,3}){0,5}m/g;

function stripEscapes(raw: string): string {
  return raw
    .replace(escapeSequences, '')
    .replace(spelledEscapes, '')
    .replace(reset.test(raw) ? anyOrphan : orphanedColours, '')
    .replace(invisible, '')
    .replace(/\u00a0/g, ' ')
    .replace(/\*\*/g, '')
    .replace(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\uff08\uff09\uff0c\uff1a\uff1b]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
}

const boxAtStart = /^[\s\u2500-\u257f]*[\u2500-\u257f]\s?/;
const boxAtEnd = /(?<![\s\u2500-\u257f])\s*[\u2500-\u257f][\s\u2500-\u257f]*$/;

function trimBox(line: string): string {
  if (!/[\u2500-\u257f]/.test(line)) return line;
  return line
    .replace(boxAtStart, '')
    .replace(boxAtEnd, '')
    .replace(/[\u2500-\u257f]/g, ' ');
}
