import { message, type Message } from '../../i18n/message';
import type { CaseInLog } from '../case';
import { looksLikeWindows } from '../rules/numbers';
import { family, told } from '../rules/rule';

/** Steps that several causes share. */

/** What Headroom itself can do with what was read. */
export function plan(at: CaseInLog): Message {
  const { capacity } = at.it.quantities;
  return capacity === null ? message('doctorFixes.planAny') : message('doctorFixes.planCard', { capacity });
}

export const microBatch = message('doctorFixes.smallerMicroBatch', {
  setting: 'per_device_train_batch_size=…/2, gradient_accumulation_steps=…*2',
});
export const checkpointing = message('doctorFixes.checkpointing', {
  setting: 'model.gradient_checkpointing_enable()',
});
export const quantised = message('doctorFixes.loadQuantised', {
  setting: 'from_pretrained(…, quantization_config=BitsAndBytesConfig(load_in_4bit=True), device_map="auto")',
});
export const noGrad = message('doctorFixes.noGrad', { setting: 'with torch.no_grad():' });
export const evalBatch = message('doctorFixes.smallerEvalBatch', { setting: 'per_device_eval_batch_size=1' });
export const reduce = message('doctorFixes.reducePredictions', {
  setting: 'predictions.append(logits.argmax(-1).cpu())',
});
export const findHolder = message('doctorFixes.findHolder', {
  setting: 'nvidia-smi --query-compute-apps=gpu_uuid,pid,used_memory --format=csv',
});
export const staleJobs = message('doctorFixes.staleJobs', { setting: 'headroom stale' });
export const endHolder = message('doctorFixes.endHolder');
export const hostMemory = message('doctorFixes.checkHostMemory', { setting: 'free -h' });
export const fewerWorkers = message('doctorFixes.fewerWorkers', { setting: 'DataLoader(…, num_workers=2)' });
export const setDevice = message('doctorFixes.setDevice', {
  setting: 'torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))',
});
export const mapLocation = message('doctorFixes.mapLocation', {
  setting: 'torch.load(path, map_location="cpu")',
});
export const fused = message('doctorFixes.fusedAttention', {
  setting: 'from_pretrained(…, attn_implementation="sdpa")',
});
export const pinLess = message('doctorFixes.pinLess', { setting: 'DataLoader(…, pin_memory=False)' });
export const readXid = message('doctorFixes.readXid', { setting: 'sudo dmesg -T | grep -i -e xid -e nvrm' });
export const roomForLibrary = message('doctorFixes.leaveRoomForLibrary', {
  setting: 'torch.cuda.set_per_process_memory_fraction(0.95)',
});
export const growOnDemand = message('doctorFixes.growOnDemand', {
  setting: 'TF_FORCE_GPU_ALLOW_GROWTH=true',
});

export function otherCard(at: CaseInLog): Message {
  return message('doctorFixes.otherCard', {
    setting: `CUDA_VISIBLE_DEVICES=${at.it.facts.gpuIndex === 1 ? 0 : 1}`,
  });
}

export function resetCard(at: CaseInLog): Message {
  return message('doctorFixes.resetCard', {
    setting: `sudo nvidia-smi --gpu-reset -i ${at.it.facts.gpuIndex ?? 'N'}`,
  });
}

export function leaveSelf(at: CaseInLog): Message | null {
  const self = at.it.quantities.ownListed;
  return self === null ? null : message('doctorFixes.leaveSelf', { pid: String(self.pid) });
}

export function segments(at: CaseInLog): Message {
  if (family(at, 'NPU'))
    return message('doctorFixes.expandableSegments', {
      setting: 'PYTORCH_NPU_ALLOC_CONF=expandable_segments:True',
    });
  if (family(at, 'P2', 'P3', 'P4'))
    return message('doctorFixes.maxSplitSize', { setting: 'PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:256' });
  const variable = family(at, 'P8')
    ? 'PYTORCH_ALLOC_CONF'
    : family(at, 'P7-expandable-HIP')
      ? 'PYTORCH_HIP_ALLOC_CONF'
      : 'PYTORCH_CUDA_ALLOC_CONF';
  return message('doctorFixes.expandableSegments', { setting: `${variable}=expandable_segments:True` });
}

export function pageFile(at: CaseInLog): Message | null {
  return looksLikeWindows(at) ? message('doctorFixes.largerPageFile') : null;
}

/** The share of the card to give the engine: what was free at the start, or less than the usual by what was short. */
export function utilization(at: CaseInLog): Message {
  const { free, capacity, tried } = at.it.quantities;
  const share =
    capacity === null
      ? usualShare
      : told(at, 'vllm-startup') && free !== null
        ? free / capacity - 0.02
        : usualShare - ((tried ?? 0) - Math.min(free ?? 0, tried ?? 0)) / capacity;
  const setting = `--gpu-memory-utilization ${Math.max(0.1, Math.floor(100 * share) / 100).toFixed(2)}`;
  return message('doctorFixes.lowerUtilization', { setting });
}

/** Below the engines' own default of 0.9. */
const usualShare = 0.85;
