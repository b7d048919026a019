/**
 * What of a step depends on the card, with the source of each number. Unknown cards are taken for the nearest known one, and
 * the answer says so.
 */
import type { CardTraits } from './tape/tape';
import { KiB, MiB } from '../units';

/** Bytes that a process holds outside of PyTorch's allocator. */
interface ContextBytes {
  /** The CUDA context with PyTorch's kernels. */
  readonly base: number;
  /** More where cuDNN runs (its attention, convolutions). */
  readonly cudnn: number;
  /** More where NCCL has a communicator. */
  readonly communicator: number;
  /** More where its processes reduce or gather over a ring: buffers for each channel. */
  readonly ring: number;
  /** More where it sends to one process and receives from it. */
  readonly exchange: number;
  /** More for a second process that it sends to and receives from: an assumption, which the interval leaves open. */
  readonly furtherPeer: number;
  /** More on each card of a process that uses NCCL for itself, as DataParallel does. */
  readonly inProcess: number;
}

/** What a step's memory needs to know of a card. */
export interface Card extends CardTraits {
  readonly name: string;
  /** False: its context is a value published for its generation, or a guess. */
  readonly measured: boolean;
  readonly context: ContextBytes;
}

/**
 * Measured on H200s with CUDA 13, PyTorch 2.11 and NCCL 2.28 (`data/measured`, and runs on two cards joined by NVLink): 742 MiB, 758 with
 * cuDNN, 1,316 with a communicator of one rank; on two cards 1,604 with DDP and FSDP2 (24 channels of 12 MiB), 1,758 with a pipeline's
 * sends and receives, 1,536 with DataParallel. A ring has one neighbour each way, however many cards there are.
 *
 * A second peer was not measured. Of a single send the receiver held 256 MiB more than the sender (the log of `two-card-processes`: 32
 * channels with a buffer of 8 MiB each), and NCCL has such buffers for every peer that it receives from.
 * https://github.com/NVIDIA/nccl/blob/v2.28.9-1/src/transport/p2p.cc
 */
const hopperContext: ContextBytes = {
  base: 742 * MiB,
  cudnn: 16 * MiB,
  communicator: 558 * MiB,
  ring: 288 * MiB,
  exchange: 442 * MiB,
  furtherPeer: 256 * MiB,
  inProcess: 778 * MiB,
};

/**
 * Without peer access NCCL uses two channels through the machine's memory: the same cards with `NCCL_P2P_DISABLE=1` took 30 MiB for a
 * further ring, and 62 for a send on either side (the log of `two-card-processes`). A second peer is taken for half of that, and
 * DataParallel to have such a ring in the place of the wide one; neither was measured.
 */
const narrowRing = 30 * MiB;
const withoutPeers = {
  ring: narrowRing,
  exchange: 62 * MiB,
  furtherPeer: 31 * MiB,
  inProcess: hopperContext.inProcess - hopperContext.ring + narrowRing,
};

const contextOf = (base: number, joined: boolean): ContextBytes => ({
  ...hopperContext,
  ...(joined ? {} : withoutPeers),
  base: base * MiB,
});

/** Compute capability decides workspaces, kernels and threads. */
type Capability = '6.0' | '6.1' | '7.0' | '7.5' | '8.0' | '8.6' | '8.9' | '9.0' | '10.0' | '12.0';

/**
 * Resident threads of a multiprocessor: CUDA C++ programming guide, technical specifications per compute capability.
 * https://docs.nvidia.com/cuda/archive/13.0.0/cuda-c-programming-guide/index.html
 */
const threads: Readonly<Record<Capability, number>> = {
  '6.0': 2048,
  '6.1': 2048,
  '7.0': 2048,
  '7.5': 1024,
  '8.0': 2048,
  '8.6': 1536,
  '8.9': 1536,
  '9.0': 2048,
  '10.0': 2048,
  '12.0': 1536,
};

/**
 * Contexts of other generations under recent CUDA with lazy loading, from published points (RTX 6000 Ada 426 MiB with PyTorch 2.10 and
 * CUDA 13, RTX 3090 and older from the table in the research): they stand until the card at hand is measured.
 */
const contexts: Readonly<Record<Capability, ContextBytes>> = {
  '6.0': contextOf(400, false),
  '6.1': contextOf(400, false),
  '7.0': contextOf(400, true),
  '7.5': contextOf(400, false),
  '8.0': contextOf(450, true),
  '8.6': contextOf(450, false),
  '8.9': contextOf(450, false),
  '9.0': hopperContext,
  '10.0': contextOf(760, true),
  '12.0': contextOf(550, false),
};

function card(name: string, capability: Capability, multiprocessors: number): Card {
  const hopperOrLater = capability === '9.0' || capability === '10.0';
  return {
    name,
    measured: name === 'H200',
    multiprocessors,
    threadsPerMultiprocessor: threads[capability],
    // https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/cuda/CublasHandlePool.cpp
    cublasWorkspaceBytes: hopperOrLater ? 32 * MiB : 8 * MiB + 128 * KiB,
    cublasLtWorkspaceBytes: MiB,
    // https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/transformers/cuda/sdp_utils.cpp
    cudnnAttention: hopperOrLater,
    flashAttention: Number(capability) >= 8,
    context: contexts[capability],
  };
}

/** The card that everything was measured on. */
export const H200: Card = card('H200', '9.0', 132);

/** Multiprocessors from NVIDIA's data sheets and architecture papers. */
const cards: readonly Card[] = [
  H200,
  card('H100 PCIe', '9.0', 114),
  card('H100', '9.0', 132),
  card('H800', '9.0', 132),
  card('H20', '9.0', 78),
  card('GH200', '9.0', 132),
  card('B200', '10.0', 148),
  card('B300', '10.0', 148),
  card('GB200', '10.0', 148),
  card('RTX 5090', '12.0', 170),
  card('RTX 5080', '12.0', 84),
  card('RTX 5070 Ti', '12.0', 70),
  card('RTX 5070', '12.0', 48),
  card('RTX PRO 6000', '12.0', 188),
  card('RTX 4090', '8.9', 128),
  card('RTX 4080 SUPER', '8.9', 80),
  card('RTX 4080', '8.9', 76),
  card('RTX 4070 Ti', '8.9', 60),
  card('RTX 4070', '8.9', 46),
  card('RTX 4060 Ti', '8.9', 34),
  card('RTX 4060', '8.9', 24),
  card('RTX 6000 Ada', '8.9', 142),
  card('L40S', '8.9', 142),
  card('L40', '8.9', 142),
  card('L4', '8.9', 58),
  card('A100', '8.0', 108),
  card('A800', '8.0', 108),
  card('A30', '8.0', 56),
  card('RTX 3090 Ti', '8.6', 84),
  card('RTX 3090', '8.6', 82),
  card('RTX 3080 Ti', '8.6', 80),
  card('RTX 3080', '8.6', 68),
  card('RTX 3070', '8.6', 46),
  card('RTX 3060', '8.6', 28),
  card('RTX A6000', '8.6', 84),
  card('A40', '8.6', 84),
  card('A10G', '8.6', 80),
  card('A10', '8.6', 72),
  card('RTX 2080 Ti', '7.5', 68),
  card('RTX 2080', '7.5', 46),
  card('TITAN RTX', '7.5', 72),
  card('Quadro RTX 8000', '7.5', 72),
  card('Quadro RTX 6000', '7.5', 72),
  card('T4', '7.5', 40),
  card('V100', '7.0', 80),
  card('TITAN V', '7.0', 80),
  card('P100', '6.0', 56),
  card('P40', '6.1', 30),
  card('GTX 1080 Ti', '6.1', 28),
  card('GTX 1080', '6.1', 20),
];

/**
 * The card of a name as the driver prints it (`NVIDIA GeForce RTX 3090`) or as people write it (`rtx3090`, `A100-80GB`). Null where
 * no known name is in it; the longest one wins. A number must be whole: an RTX A4000 is no A40.
 */
function findCard(name: string): Card | null {
  const text = name.toLowerCase();
  const matches = cards.filter(({ name: known }) =>
    new RegExp(`${known.toLowerCase().replaceAll(' ', '[^a-z0-9]*')}(?!\\d)`).test(text),
  );
  return matches.reduce<Card | null>(
    (best, known) => (best === null || known.name.length > best.name.length ? known : best),
    null,
  );
}

/**
 * Names of NVIDIA's generations, for cards that are not in the table: the letters and first digits tell which it is, the first that
 * fits. Workstation cards have the same numbers in three generations, told apart by Quadro, Ada and PRO.
 */
const generations: readonly (readonly [RegExp, string])[] = [
  [/quadrortx|titanrtx/, 'RTX 2080'],
  [/(gb|b)[123]\d\d/, 'B200'],
  [/(gh|h)\d{2,3}/, 'H100'],
  [/rtx40|ada|^l\d|l\d0?s?$/, 'RTX 4080'],
  [/rtx50|rtxpro\d/, 'RTX 5080'],
  [/rtx30|rtxa\d|a[24568]0|a2$|a16$/, 'RTX 3080'],
  [/a[138]00/, 'A100'],
  [/rtx20|gtx16|t4|t\d{3,4}/, 'RTX 2080'],
  [/v100|titanv/, 'V100'],
  [/gtx10|titanx|p\d|quadrop/, 'GTX 1080'],
];

/** A card that somebody named. */
export interface NamedCard {
  /** Under the name that was asked for; never marked as measured where it is another's. */
  readonly card: Card;
  readonly known: boolean;
  /** The known card whose values are taken. */
  readonly nearest: string;
}

/** The card of a name, or the nearest of its generation (the measured one where the name tells nothing). */
export function cardNamed(name: string): NamedCard {
  const found = findCard(name);
  if (found !== null) return { card: found, known: true, nearest: found.name };
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const generation = generations.find(([pattern]) => pattern.test(plain));
  const nearest = (generation === undefined ? null : findCard(generation[1])) ?? H200;
  return { card: { ...nearest, name, measured: false }, known: false, nearest: nearest.name };
}

/** The names of all known cards. */
export const cardNames: readonly string[] = cards.map(({ name }) => name);
