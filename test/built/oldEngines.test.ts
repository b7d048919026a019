import { describe, expect, test } from 'vitest';
import { readArtefacts, type Artefact } from './artefacts';

/**
 * What Electron 25 lacks: Node 18.15 in the programs, Chrome 114 in the page, V8 11.4 in both. The bundler lowers
 * syntax to these targets but adds no missing functions, so a call of one would fail only when it is reached.
 */
interface Newer {
  readonly name: string;
  readonly pattern: RegExp;
}

const inEveryScript: readonly Newer[] = [
  { name: 'Object.groupBy and Map.groupBy', pattern: /\b(Object|Map)\.groupBy\b/ },
  { name: 'Promise.withResolvers', pattern: /\bPromise\.withResolvers\b/ },
  { name: 'Promise.try', pattern: /\bPromise\.try\b/ },
  { name: 'Array.fromAsync', pattern: /\bArray\.fromAsync\b/ },
  { name: 'URL.canParse', pattern: /\bURL\.canParse\b/ },
  { name: 'URL.parse', pattern: /\bURL\.parse\(/ },
  { name: 'Set methods', pattern: /\.(isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference)\(/ },
  {
    name: 'iterator helpers',
    pattern:
      /\bIterator\.(from|prototype)\b|\.(values|keys|entries)\(\)\.(map|filter|some|every|find|take|drop|toArray|reduce|flatMap)\(/,
  },
  { name: 'RegExp.escape', pattern: /\bRegExp\.escape\b/ },
  { name: 'Float16Array', pattern: /\bFloat16Array\b/ },
  { name: 'Temporal', pattern: /\bTemporal\.(Now|Instant|Plain)/ },
  { name: 'Math.sumPrecise', pattern: /\bMath\.sumPrecise\b/ },
  { name: 'Uint8Array base64', pattern: /\.(toBase64|setFromBase64)\(|\bUint8Array\.fromBase64\b/ },
  { name: 'Intl.DurationFormat', pattern: /\bnew Intl\.DurationFormat\b/ },
  { name: 'Symbol.dispose', pattern: /\bSymbol\.(asyncDispose|dispose)\b(?!\s*(\|\||\?\?))/ },
  { name: 'AbortSignal.any', pattern: /\bAbortSignal\.any\b/ },
];

const inPrograms: readonly Newer[] = [
  { name: 'import.meta.dirname', pattern: /\bimport\.meta\.(dirname|filename)\b/ },
  { name: 'process.getBuiltinModule', pattern: /\bprocess\.getBuiltinModule\b/ },
  { name: 'process.loadEnvFile', pattern: /\bprocess\.loadEnvFile\b|\bparseEnv\(/ },
  { name: 'util.styleText', pattern: /\bstyleText\(/ },
  { name: 'fs.glob', pattern: /\b(globSync|promises\.glob)\(/ },
  { name: 'node:sqlite and node:sea', pattern: /["']node:(sqlite|sea)["']/ },
  { name: 'crypto.hash', pattern: /\bcrypto\d*\.hash\(/ },
  { name: 'path.matchesGlob', pattern: /\.matchesGlob\(/ },
  { name: 'readdir with recursive (18.17)', pattern: /readdir(Sync)?\([^;]{0,80}recursive/ },
];

const inPage: readonly Newer[] = [
  { name: 'requestClose of a dialog', pattern: /\.requestClose\(/ },
  { name: 'moveBefore', pattern: /\.moveBefore\(/ },
  { name: 'setHTML', pattern: /\.setHTML(Unsafe)?\(/ },
];

const inStyles: readonly Newer[] = [
  { name: 'light-dark()', pattern: /\blight-dark\(/ },
  { name: '@starting-style', pattern: /@starting-style/ },
  { name: '@scope', pattern: /@scope\b/ },
  { name: 'transition-behavior', pattern: /\btransition-behavior\b|\ballow-discrete\b/ },
  { name: 'subgrid', pattern: /:\s*subgrid\b/ },
  { name: 'text-wrap: pretty', pattern: /text-wrap:\s*pretty/ },
  { name: 'scrollbar-color and scrollbar-width', pattern: /\bscrollbar-(color|width)\b/ },
  { name: 'field-sizing', pattern: /\bfield-sizing\b/ },
  { name: 'anchor positioning', pattern: /\banchor-name\b|\bposition-anchor\b|\banchor\(/ },
  { name: 'round(), mod() and rem()', pattern: /[:\s(](round|mod|rem)\(/ },
  { name: 'interpolate-size and calc-size()', pattern: /\binterpolate-size\b|\bcalc-size\(/ },
  { name: 'relative colours', pattern: /\b(rgb|hsl|oklch|oklab|lab|lch|color)\(\s*from\b/ },
  { name: 'scroll-driven animations', pattern: /\b(animation-timeline|scroll-timeline|view-timeline)\b/ },
];

const artefacts = readArtefacts();
const programs = artefacts.filter(({ name }) => name.endsWith('.cjs'));
const pageScripts = artefacts.filter(({ name }) => name.endsWith('.js'));
const styles = artefacts.filter(({ name }) => name.endsWith('.css'));

/** Each use with the text around it, but for those that first ask whether there is such a function. */
function unguardedUses({ name, text }: Artefact, pattern: RegExp): readonly string[] {
  return [...text.matchAll(new RegExp(pattern, 'g'))]
    .filter(
      ({ 0: use, index }) =>
        !text.slice(Math.max(0, index - 100), index + use.length).includes(`typeof ${use}`),
    )
    .map(({ index }) => `${name}: ${text.slice(Math.max(0, index - 60), index + 60)}`);
}

function expectNone(files: readonly Artefact[], newer: Newer): void {
  expect(files.length).toBeGreaterThan(0);
  expect(files.flatMap((file) => unguardedUses(file, newer.pattern))).toEqual([]);
}

describe('programs', () => {
  test.each([...inEveryScript, ...inPrograms])('do not use $name', (newer) => expectNone(programs, newer));
});

describe('scripts of the page', () => {
  test.each([...inEveryScript, ...inPage])('do not use $name', (newer) => expectNone(pageScripts, newer));
});

describe('styles of the page', () => {
  test.each(inStyles)('do not use $name', (newer) => expectNone(styles, newer));
});
