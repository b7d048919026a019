/**
 * What is known of NVIDIA's cards: a row for each compute capability, and one for each model. A new card is a row here and nothing
 * else; the compiler asks for every cell. What nobody published or measured is null.
 */
import { KiB, MiB } from '../units';

/** Bytes that a process holds outside of PyTorch's allocator. */
export interface ContextBytes {
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

/**
 * Measured on H200s with CUDA 13, PyTorch 2.11 and NCCL 2.28 (runs on one card, and on two joined by NVLink): 742 MiB, 758 with
 * cuDNN, 1,316 with a communicator of one rank; on two cards 1,604 with DDP and FSDP2 (24 channels of 12 MiB), 1,758 with a pipeline's
 * sends and receives, 1,536 with DataParallel. A ring has one neighbour each way, however many cards there are.
 *
 * A second peer was not measured. Of a single send the receiver held 256 MiB more than the sender (32 channels with a buffer of 8 MiB
 * each), and NCCL has such buffers for every peer that it receives from.
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
 * further ring, and 62 for a send on either side. A second peer is taken for half of that, and DataParallel to have such a ring in the
 * place of the wide one; neither was measured.
 */
const narrowRing = 30 * MiB;
const withoutPeers = {
  ring: narrowRing,
  exchange: 62 * MiB,
  furtherPeer: 31 * MiB,
  inProcess: hopperContext.inProcess - hopperContext.ring + narrowRing,
};

const contextOf = (baseMib: number, joined: boolean): ContextBytes => ({
  ...hopperContext,
  ...(joined ? {} : withoutPeers),
  base: baseMib * MiB,
});

const gigabyte = 1e9;

/** What all cards of one compute capability have in common. */
interface CapabilityRow {
  /**
   * Resident threads: CUDA C++ programming guide, technical specifications per compute capability.
   * https://docs.nvidia.com/cuda/archive/13.0.0/cuda-c-programming-guide/index.html
   */
  readonly threadsPerMultiprocessor: number;
  /**
   * Under recent CUDA with lazy loading: 9.0 measured; the others from published points (RTX 6000 Ada 426 MiB with PyTorch 2.10 and
   * CUDA 13, RTX 3090 and older), until the card at hand is measured.
   */
  readonly context: ContextBytes;
  /** https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/cuda/CublasHandlePool.cpp */
  readonly cublasWorkspaceBytes: number;
  /** PyTorch prefers cuDNN's: https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/transformers/cuda/sdp_utils.cpp */
  readonly cudnnAttention: boolean;
  readonly flashAttention: boolean;
  readonly pcieGeneration: 3 | 4 | 5;
  /**
   * One NVLink in one direction, as NCCL expects to reach it; null where no card of the capability has any.
   * https://github.com/NVIDIA/nccl/blob/v2.28.9-1/src/graph/topo.h
   */
  readonly nvLinkBytesPerSecond: number | null;
}

const largeWorkspace = 32 * MiB;
const smallWorkspace = 8 * MiB + 128 * KiB;

const capability = (
  threadsPerMultiprocessor: number,
  context: ContextBytes,
  attention: 'none' | 'flash' | 'cudnn',
  pcieGeneration: CapabilityRow['pcieGeneration'],
  nvLinkGigabytes: number | null,
): CapabilityRow => ({
  threadsPerMultiprocessor,
  context,
  cublasWorkspaceBytes: attention === 'cudnn' ? largeWorkspace : smallWorkspace,
  cudnnAttention: attention === 'cudnn',
  flashAttention: attention !== 'none',
  pcieGeneration,
  nvLinkBytesPerSecond: nvLinkGigabytes === null ? null : nvLinkGigabytes * gigabyte,
});

const capabilities = {
  '6.0': capability(2048, contextOf(400, false), 'none', 3, 18),
  '6.1': capability(2048, contextOf(400, false), 'none', 3, null),
  '7.0': capability(2048, contextOf(400, true), 'none', 3, 20),
  '7.5': capability(1024, contextOf(400, false), 'none', 3, 20),
  '8.0': capability(2048, contextOf(450, true), 'flash', 4, 20),
  '8.6': capability(1536, contextOf(450, false), 'flash', 4, 12),
  '8.9': capability(1536, contextOf(450, false), 'flash', 4, null),
  '9.0': capability(2048, hopperContext, 'cudnn', 5, 20.6),
  '10.0': capability(2048, contextOf(760, true), 'cudnn', 5, 40.1),
  '12.0': capability(1536, contextOf(550, false), 'flash', 5, null),
} as const satisfies Readonly<Record<string, CapabilityRow>>;

type ComputeCapability = keyof typeof capabilities;

/** How a model is joined to others and to the machine. */
interface Connections {
  /** NVLinks of a card that is sold on boards where all cards are joined (HGX, DGX), from NVIDIA's data sheets; null: none. */
  readonly boardNvLinks: number | null;
  /** NVIDIA's drivers give GeForce and TITAN cards no peer access over PCI Express. */
  readonly peerAccess: boolean;
  readonly pcieLanes: 8 | 16;
  /** The way to the machine's memory: NVLink-C2C where Grace and the card are one module. */
  readonly toHost: 'pcie' | 'chip-to-chip';
}

const pcie: Connections = { boardNvLinks: null, peerAccess: true, pcieLanes: 16, toHost: 'pcie' };
const consumer: Connections = { ...pcie, peerAccess: false };
const narrow: Connections = { ...consumer, pcieLanes: 8 };
const board = (boardNvLinks: number): Connections => ({ ...pcie, boardNvLinks });
const superchip: Connections = { ...board(18), toHost: 'chip-to-chip' };

/** A model of card with all that is known of it. */
export interface GpuModel extends CapabilityRow, Connections {
  readonly name: string;
  /** Further names that people write, where they do not contain the name. */
  readonly aliases: readonly string[];
  /** False: its context is a value published for its capability, or a guess. */
  readonly measured: boolean;
  readonly multiprocessors: number;
  /** What nvidia-smi prints as its total, error correction as it is shipped; null where it is sold in several sizes. */
  readonly memoryMib: number | null;
  readonly cublasLtWorkspaceBytes: number;
  /** Dense 16-bit tensor operations with 32-bit sums. */
  readonly peakHalfOperationsPerSecond: number;
  /** 32-bit operations without TF32, which is PyTorch's default. */
  readonly peakSingleOperationsPerSecond: number;
  readonly peakMemoryBytesPerSecond: number;
}

/** Peaks in tera-operations (16 and 32 bits) and gigabytes a second. */
type Peaks = readonly [halfTera: number, singleTera: number, memoryGigabytes: number];

const model = (
  name: string,
  computeCapability: ComputeCapability,
  multiprocessors: number,
  memoryMib: number | null,
  [halfTera, singleTera, memoryGigabytes]: Peaks,
  connections: Connections,
  aliases: readonly string[] = [],
): GpuModel => ({
  ...capabilities[computeCapability],
  ...connections,
  name,
  aliases,
  measured: name === 'H200',
  multiprocessors,
  memoryMib,
  cublasLtWorkspaceBytes: MiB,
  peakHalfOperationsPerSecond: halfTera * 1e12,
  peakSingleOperationsPerSecond: singleTera * 1e12,
  peakMemoryBytesPerSecond: memoryGigabytes * gigabyte,
});

/** The card on which everything was measured. */
export const H200: GpuModel = model('H200', '9.0', 132, 143_771, [989, 67, 4800], board(18));

/** All known models. Multiprocessors and peaks are from NVIDIA's data sheets and architecture papers. */
export const gpuModels: readonly GpuModel[] = [
  H200,
  model('H100 PCIe', '9.0', 114, 81_559, [756, 51, 2000], pcie),
  model('H100', '9.0', 132, 81_559, [989, 67, 3350], board(18)),
  model('H800', '9.0', 132, 81_559, [989, 67, 3350], board(8)),
  model('H20', '9.0', 78, 97_871, [148, 44, 4000], board(18)),
  model('GH200', '9.0', 132, null, [989, 67, 4000], superchip),
  model('B200', '10.0', 148, 183_359, [2250, 75, 8000], board(18)),
  model('B300', '10.0', 148, null, [2250, 75, 8000], board(18)),
  model('GB200', '10.0', 148, 189_471, [2500, 80, 8000], superchip),
  model('RTX 5090', '12.0', 170, 32_607, [209, 105, 1792], consumer, ['5090']),
  model('RTX 5080', '12.0', 84, 16_303, [113, 56, 960], consumer, ['5080']),
  model('RTX 5070 Ti', '12.0', 70, 16_303, [88, 44, 896], consumer, ['5070 Ti']),
  model('RTX 5070', '12.0', 48, 12_227, [62, 31, 672], consumer, ['5070']),
  model('RTX PRO 6000', '12.0', 188, 97_887, [504, 126, 1792], pcie, ['PRO 6000', '6000 Blackwell']),
  // https://www.nvidia.com/en-us/products/workstations/professional-desktop-gpus/rtx-pro-5000/
  model('RTX PRO 5000', '12.0', 110, null, [258, 65, 1344], pcie, ['PRO 5000', '5000 Blackwell']),
  model('RTX 4090', '8.9', 128, 24_564, [165, 83, 1008], consumer, ['4090']),
  model('RTX 4080 SUPER', '8.9', 80, 16_376, [104, 52, 736], consumer, ['4080 SUPER']),
  model('RTX 4080', '8.9', 76, 16_376, [97, 49, 717], consumer, ['4080']),
  model('RTX 4070 Ti', '8.9', 60, 12_282, [80, 40, 504], consumer, ['4070 Ti']),
  model('RTX 4070', '8.9', 46, 12_282, [58, 29, 504], consumer, ['4070']),
  model('RTX 4060 Ti', '8.9', 34, null, [44, 22, 288], narrow, ['4060 Ti']),
  model('RTX 4060', '8.9', 24, 8_188, [30, 15, 272], narrow, ['4060']),
  model('RTX 6000 Ada', '8.9', 142, 49_140, [364, 91, 960], pcie, ['6000 Ada', 'A6000 Ada']),
  model('L40S', '8.9', 142, 46_068, [362, 92, 864], pcie),
  model('L40', '8.9', 142, 46_068, [181, 91, 864], pcie),
  model('L4', '8.9', 58, 23_034, [121, 30, 300], pcie),
  model('A100', '8.0', 108, null, [312, 19.5, 2039], board(12)),
  model('A800', '8.0', 108, null, [312, 19.5, 2039], board(8)),
  model('A30', '8.0', 56, 24_576, [165, 10.3, 933], pcie),
  model('RTX 3090 Ti', '8.6', 84, 24_564, [80, 40, 1008], consumer, ['3090 Ti']),
  model('RTX 3090', '8.6', 82, 24_576, [71, 36, 936], consumer, ['3090']),
  model('RTX 3080 Ti', '8.6', 80, 12_288, [68, 34, 912], consumer, ['3080 Ti']),
  model('RTX 3080', '8.6', 68, null, [60, 30, 760], consumer, ['3080']),
  model('RTX 3070', '8.6', 46, 8_192, [41, 20, 448], consumer, ['3070']),
  model('RTX 3060', '8.6', 28, 12_288, [25.5, 12.7, 360], consumer, ['3060']),
  model('RTX A6000', '8.6', 84, 49_140, [155, 39, 768], pcie, ['A6000']),
  model('A40', '8.6', 84, 46_068, [150, 37, 696], pcie),
  model('A10G', '8.6', 80, 23_028, [70, 35, 600], pcie),
  model('A10', '8.6', 72, 23_028, [125, 31, 600], pcie),
  model('RTX 2080 Ti', '7.5', 68, 11_264, [54, 13.4, 616], consumer, ['2080 Ti']),
  model('RTX 2080', '7.5', 46, 8_192, [40, 10, 448], consumer, ['2080']),
  model('TITAN RTX', '7.5', 72, 24_576, [130, 16.3, 672], consumer),
  model('Quadro RTX 8000', '7.5', 72, 49_152, [130, 16.3, 672], pcie),
  model('Quadro RTX 6000', '7.5', 72, 24_576, [130, 16.3, 672], pcie),
  model('T4', '7.5', 40, 15_360, [65, 8.1, 320], pcie),
  model('V100', '7.0', 80, null, [125, 15.7, 900], board(6)),
  model('TITAN V', '7.0', 80, 12_288, [110, 14.9, 653], consumer),
  model('P100', '6.0', 56, null, [21.2, 10.6, 732], pcie),
  model('P40', '6.1', 30, 24_576, [11.8, 11.8, 346], pcie),
  model('GTX 1080 Ti', '6.1', 28, 11_264, [11.3, 11.3, 484], consumer, ['1080 Ti']),
  model('GTX 1080', '6.1', 20, 8_192, [8.9, 8.9, 320], consumer, ['1080']),
];
