/** What a failure means that no cause of the list fits: what happened, and what to do first. */
export const doctorMeaning = {
  brokenKernel:
    'No memory is missing: a kernel touched an address that is not its own, or an assertion in it failed. Most often an index lies outside a table: a token above the vocabulary, a label above the number of classes, a position above the longest length.',
  noCard:
    'The program sees no card at all. Look at CUDA_VISIBLE_DEVICES, at nvidia-smi in the same shell and, in a container, at --gpus.',
  noDriver: 'The NVIDIA driver is not loaded. No setting of the training changes that.',
  containerLostCard:
    'The container lost its access to the cards, most often when systemd was reloaded on the host. Restart the container; Docker’s setting "exec-opts": ["native.cgroupdriver=cgroupfs"] keeps it from happening again.',
  cudaError:
    'A CUDA call failed; the words behind “CUDA error” name how. If they are vague, restart the process and look whether the card answers (nvidia-smi).',
  portInUse:
    'The port is taken: by another run on this machine, or by ranks of an earlier one that still live. End them (headroom stale shows them), or start with another --master_port (torchrun: --rdzv-endpoint=localhost:0).',
  noKernelImage:
    'This build of PyTorch (or of an extension) has no code for this card’s generation. Install a build whose CUDA version knows the card; no memory is missing.',
  driverTooOld:
    'The driver is older than what this build of PyTorch needs. Update the driver, or install PyTorch for an older CUDA version.',
  fabricNotReady:
    'The cards of a machine with NVSwitch wait for its fabric manager. Start the service nvidia-fabricmanager in the driver’s own version.',
  cpuOnlyBuild:
    'The installed PyTorch was built without CUDA or NCCL. Install the build for your CUDA version.',
  cardNotVisible:
    'A card was named that this process does not see. Look at CUDA_VISIBLE_DEVICES, at the number of ranks a machine and, for a checkpoint, at torch.load(…, map_location=…).',
  twoDevices:
    'Two tensors of one operation lie on different devices. Move the batch to the model’s device; with device_map="auto" do not train with several ranks.',
  typesDiffer:
    'Two tensors of one operation have different types (half and float, say). Run the step under torch.autocast, or load the model in one type.',
  shapesDiffer:
    'Two tensors do not fit each other in shape. The model’s sizes and the batch’s do not match, or samples were not padded to one length.',
  stateDictDiffers:
    'The checkpoint was saved from another model: other layers, other sizes, another vocabulary or another wrapper.',
  unusedParameters:
    'Some parameters got no gradient on this rank, so DistributedDataParallel waits for them. Leave them out of the model, or construct it with find_unused_parameters=True.',
  notFinite:
    'Loss or gradients became NaN or infinite. Lower the learning rate, clip the gradients, use bf16 instead of fp16, and look at the last batch.',
  scalerOnFp16Weights:
    'A GradScaler needs weights in fp32, and these are in fp16. Load the model in fp32 (or bf16) and let autocast do the rest.',
  hubNoAccess:
    'The Hugging Face Hub refuses this model or does not know its name. Check the name, accept its licence on its page, and log in (hf auth login, or HF_TOKEN).',
  hubNotReached:
    'The Hugging Face Hub could not be reached and the files are not in the cache of this machine. Download them where there is a network, then set HF_HUB_OFFLINE=1.',
  diskFull:
    'A disk (or your quota on it) is full, not the card. Look at df -h for the folder of checkpoints, the cache and /tmp; keep fewer checkpoints.',
  cudaAfterFork:
    'A process that had used CUDA was forked. Start workers with the method spawn, and use no CUDA before they start.',
  noMainGuard:
    'Workers start by importing the script again. Put what the script does under if __name__ == "__main__":.',
  bitsandbytesWithoutCuda:
    'bitsandbytes found no CUDA library that fits. Install a version for your CUDA, and look at python -m bitsandbytes.',
  libraryCallFailed:
    'cuBLAS or cuDNN refused a call. Often an earlier kernel broke and is reported here, or types or shapes are not supported. Run again with CUDA_LAUNCH_BLOCKING=1; if the card was nearly full, also with a smaller batch.',
  ncclSystemError:
    'NCCL failed in a call of the system: most often the network between machines (wrong interface, firewall), or shared memory. Run again with NCCL_DEBUG=INFO and read the last lines before the error.',
  ncclCudaFailure:
    'A CUDA call inside NCCL failed, and not for want of memory: its own words name it (access between two cards, an argument, an earlier kernel that broke). Run again with NCCL_DEBUG=INFO; try NCCL_P2P_DISABLE=1 where it speaks of peers.',
  ncclCallRefused:
    'NCCL refused the call itself. Check that every rank has a card of its own and that all ranks run the same NCCL; NCCL_DEBUG=WARN says which argument it was.',
  rendezvousTimeout:
    'Not all ranks came to the start, so the others gave up. Look at the logs of those that are missing; check address, port and firewall.',
  staticTls:
    'A library was loaded too late to get its thread-local variables; no memory is missing. Import it first, or start with LD_PRELOAD set to the library that the line names.',
  memoryLockLimit:
    'The process may not lock enough memory for the network card (RDMA); host and GPU memory are not the problem. Raise the limit: ulimit -l unlimited, in Docker --ulimit memlock=-1, in Slurm PropagateResourceLimitsExcept=MEMLOCK.',
  timeLimit:
    'The scheduler ended the job at its time limit. Nothing was out of memory. Ask for more time, or save checkpoints and start again from the last.',
  preempted:
    'Slurm ended the job for another one. Nothing was out of memory. Start again from the last checkpoint.',
  cancelled:
    'Slurm cancelled the job: by a person or by a rule of the cluster. What is killed after that is no cause.',
  crashed:
    'The process crashed in native code (a segmentation fault; on Windows, an access violation). Run it with python -X faulthandler to see where; a mix of library versions is the commonest reason.',
  interrupted: 'The run was ended from outside: by a person (Ctrl-C), a closed terminal or a scheduler.',
  importFailed:
    'A module is missing or was built for other versions than those installed. Install it in this environment, against this PyTorch.',
  notPermitted: 'A file or a folder may not be read or written by this user. The message names it.',
  fileMissing: 'A file or a folder is not where the program looks for it. The message names it.',
  workerFailed:
    'The launcher only tells that a rank failed. What it was stands in that rank’s own output; start with --tee 3 or --log-dir to keep it.',
  pythonError: 'The program ended with this error. It names neither memory nor a card nor other ranks.',
  xidOfProgram:
    'The driver tells of a fault in what a program asked of the card. Its own error says more; if it comes with every program, the card or its driver is to be checked.',
  xidOther: 'The driver tells of a fault of the card. Look up its number in NVIDIA’s table of Xid errors.',
  classOnly:
    'The GPU ran out of memory: only the name of the error was logged. Its message has the numbers that tell why; bring the line that begins with it, or the traceback.',
  memoryLine:
    'It is about memory or a card, in words that this version does not know. The line itself says most; what stands above it tells where it happened.',
  seeAbove:
    'This process only reports that another one failed. The root cause stands above this line: bring the first error that was printed before it.',
} as const;
