/** Which model of card a name means: as the driver prints it, or as people write it. */
import { gpuModels, H200, type GpuModel } from './models';

/** A card that somebody named. */
export interface NamedGpuModel {
  /** Under the name that was asked for; never marked as measured where it is another's. */
  readonly card: GpuModel;
  readonly known: boolean;
  /** The known model whose values are taken. */
  readonly nearest: string;
}

/** The names of all known models. */
export const gpuModelNames: readonly string[] = gpuModels.map(({ name }) => name);

/**
 * The model of a name (`NVIDIA GeForce RTX 3090`, `RTX4090`, `4090`, `A6000`, `A100-SXM4-80GB`), or a known one of its generation, whose
 * values are then taken; H200, which was measured, where the name tells nothing.
 */
export function gpuModelNamed(name: string): NamedGpuModel {
  const found = findModel(name);
  if (found !== null) return { card: found, known: true, nearest: found.name };
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const generation = generations.find(({ pattern }) => pattern.test(plain));
  const nearest = (generation === undefined ? null : findModel(generation.nearest)) ?? H200;
  const { peerAccess } = generation ?? H200;
  // How many cards of its model stand on one board is not known of a model that is not.
  const connections = { boardNvLinks: null, peerAccess, pcieLanes: 16, toHost: 'pcie' } as const;
  return {
    card: { ...nearest, ...connections, name, aliases: [], measured: false },
    known: false,
    nearest: nearest.name,
  };
}

/**
 * The longest name or alias that the text contains wins. A number must be whole: an RTX A4000 is no A40. A laptop's chip of the same name
 * has fewer multiprocessors, and no row here.
 */
function findModel(text: string): GpuModel | null {
  const lower = text.toLowerCase();
  if (lower.includes('laptop')) return null;
  const matches = gpuModels.flatMap((model) => [
    ...(contains(lower, model.name) ? [{ model, length: model.name.length }] : []),
    ...model.aliases
      .filter((alias) => startsWord(lower, alias))
      .map((alias) => ({ model, length: alias.length })),
  ]);
  const [best] = matches.sort((a, b) => b.length - a.length);
  return best?.model ?? null;
}

const patternOf = (name: string): string => `${name.toLowerCase().replaceAll(' ', '[^a-z0-9]*')}(?!\\d)`;

const contains = (text: string, name: string): boolean => new RegExp(patternOf(name)).test(text);

/** Aliases are short, so that they must begin a word: `A4090` is no RTX 4090. */
const startsWord = (text: string, alias: string): boolean =>
  new RegExp(`(?<![a-z0-9])${patternOf(alias)}`).test(text);

/** Names that a generation shares. */
interface Generation {
  /** Of the name without spaces and signs, in lower case. */
  readonly pattern: RegExp;
  readonly nearest: string;
  readonly peerAccess: boolean;
}

/**
 * NVIDIA's generations by the letters and first digits of their names, for models that are not in the table; the first that fits.
 * Workstation cards have the same numbers in three generations, told apart by Quadro, Ada and PRO.
 */
const generations: readonly Generation[] = [
  { pattern: /quadrortx/, nearest: 'RTX 2080', peerAccess: true },
  { pattern: /(gb|b)[123]\d\d/, nearest: 'B200', peerAccess: true },
  { pattern: /(gh|h)\d{2,3}/, nearest: 'H100', peerAccess: true },
  { pattern: /ada|^(nvidia)?l\d/, nearest: 'RTX 4080', peerAccess: true },
  { pattern: /(rtx|geforce|^)40\d\d/, nearest: 'RTX 4080', peerAccess: false },
  { pattern: /pro\d|blackwell/, nearest: 'RTX 5080', peerAccess: true },
  { pattern: /(rtx|geforce|^)50\d\d/, nearest: 'RTX 5080', peerAccess: false },
  { pattern: /(rtx|geforce|^)30\d\d/, nearest: 'RTX 3080', peerAccess: false },
  { pattern: /a[138]00(?!\d)/, nearest: 'A100', peerAccess: true },
  { pattern: /a\d{4}|a[24568]0|a2$|a16$/, nearest: 'RTX 3080', peerAccess: true },
  { pattern: /(rtx|geforce|^)20\d\d|gtx16|(geforce|^)16\d\d/, nearest: 'RTX 2080', peerAccess: false },
  { pattern: /t4|t\d{3,4}/, nearest: 'RTX 2080', peerAccess: true },
  { pattern: /v100/, nearest: 'V100', peerAccess: true },
  { pattern: /gtx10|titanx|(geforce|^)10\d\d/, nearest: 'GTX 1080', peerAccess: false },
  { pattern: /quadrop|p\d/, nearest: 'GTX 1080', peerAccess: true },
];
