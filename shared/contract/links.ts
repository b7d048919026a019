/**
 * Every address outside the app that it can open. The renderer names an id; main looks the address up and hands it to
 * the system's browser. Nothing else is ever opened.
 */
export const externalLinks = {
  nvidiaDriver: 'https://www.nvidia.com/en-us/drivers/',
  nvidiaSmi: 'https://docs.nvidia.com/deploy/nvidia-smi/index.html',
  nvidiaXid: 'https://docs.nvidia.com/deploy/xid-errors/index.html',
  nvidiaMig: 'https://docs.nvidia.com/datacenter/tesla/mig-user-guide/',
  nvidiaContainerToolkit:
    'https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html',
  cudaWsl: 'https://docs.nvidia.com/cuda/wsl-user-guide/index.html',
  pytorchCudaMemory: 'https://docs.pytorch.org/docs/stable/notes/cuda.html',
  pytorchDdp: 'https://docs.pytorch.org/docs/stable/notes/ddp.html',
  pytorchFsdp: 'https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html',
  pytorchCheckpoint: 'https://docs.pytorch.org/docs/stable/checkpoint.html',
  appIndicatorExtension: 'https://extensions.gnome.org/extension/615/appindicator-support/',
} as const;

export type ExternalLink = keyof typeof externalLinks;
