/**
 * What a program was doing when it allocated or freed, by its call stack. The innermost frame that says something decides: a
 * forward inside of `optimizer.step(closure)` is a forward.
 */
import { type CallStacks, isPythonFrame, type StackFrame } from './callStacks';

export type StackRole =
  | 'build'
  | 'forward'
  /** A forward that backward runs again, of a checkpointed part. */
  | 'recompute'
  | 'loss'
  | 'backward'
  /** The part of it that makes gradients of the size of the logits. */
  | 'backward-of-loss'
  | 'clip'
  | 'optimizer'
  | 'zero_grad'
  | 'communication'
  | 'workspace'
  /** In Python, but in none of these: the script itself, a data loader. */
  | 'script'
  /** Without a stack that says anything. */
  | 'unknown';

/** The roles of all stacks, each found once. */
export class StackRoles {
  private readonly roles: (StackRole | undefined)[] = [];
  private readonly hasPython: boolean;

  constructor(readonly stacks: CallStacks) {
    this.hasPython = Array.from({ length: stacks.count }, (_, stack) => stack).some((stack) =>
      stacks.frames(stack).some(isPythonFrame),
    );
  }

  role(stack: number): StackRole {
    return (this.roles[stack] ??= this.find(stack));
  }

  private find(stack: number): StackRole {
    const frames = this.stacks.frames(stack);
    if (frames.some(isWorkspace)) return 'workspace';
    const python = frames.filter(isPythonFrame);
    if (python.length === 0) {
      // The engine's own threads run backward without Python. With `stacks="python"` such a stack is empty.
      if (frames.some(isEngineFrame) && frames.some(isLossNode)) return 'backward-of-loss';
      const isEngine = frames.some(isEngineFrame) || (frames.length === 0 && this.hasPython);
      return isEngine ? 'backward' : 'unknown';
    }
    const role = roleOfPython(python);
    // A hook in Python that the engine calls is backward, unless the frames say what it does.
    return role === 'script' && frames.some(isEngineFrame) ? 'backward' : role;
  }
}

/** cuBLAS and cuBLASLt take a workspace for each handle and stream (aten/src/ATen/cuda/CublasHandlePool.cpp). */
const isWorkspace = ({ function: name }: StackFrame): boolean =>
  /setWorkspaceForHandle|getCUDABlasLtWorkspace|getCurrentCUDABlasHandle|cublasSetWorkspace/.test(name);

/** Nodes of the graph that a loss over the vocabulary makes. */
const isLossNode = ({ function: name }: StackFrame): boolean =>
  /\b(?:NllLoss(?:2D)?|LogSoftmax|CrossEntropyLoss|NllLossNd)Backward\d/.test(name);

const isEngineFrame = ({ function: name }: StackFrame): boolean => name.includes('torch::autograd::Engine::');

function roleOfPython(frames: readonly StackFrame[]): StackRole {
  const isRecomputed = frames.some(isCheckpoint);
  for (const frame of frames) {
    const role = roleOfFrame(frame);
    if (role === 'forward' && isRecomputed) return 'recompute';
    if (role === 'forward') return isOutputLayer(frames) ? 'loss' : 'forward';
    if (role !== null) return role;
  }
  return 'script';
}

/** What torch.utils.checkpoint calls while backward runs. */
const isCheckpoint = ({ file, function: name }: StackFrame): boolean =>
  /[\\/]utils[\\/]checkpoint\.py$/.test(file) && /^(?:unpack_hook|recompute_fn|backward)$/.test(name);

const buildFunctions =
  /^(?:_apply|to_empty|reset_parameters|__init__|from_pretrained|load_state_dict|_load_state_dict_into_\w+|_load_parameter_into_model|set_module_tensor_to_device|_materialize\w*|update_layer|inject_adapter|_init_sharded_param|_quantize)$/;

function roleOfFrame({ file, function: name }: StackFrame): StackRole | null {
  const path = file.replaceAll('\\', '/');
  if (name === 'zero_grad') return 'zero_grad';
  if (/clip_grad/.test(path) || /clip_grad/.test(name)) return 'clip';
  if (/\/optim(?:izers?)?\/|\/optimization\.py$|\/ops\/(?:adam|lion|adagrad)\//.test(path))
    return 'optimizer';
  if (/\/torch\/distributed\/|\/deepspeed\/runtime\/|\/nn\/parallel\//.test(path)) {
    if (buildFunctions.test(name)) return 'build';
    // The wrapper's own forward says nothing of what is inside.
    return name === 'forward' || name === '_wrapped_call_impl' ? null : 'communication';
  }
  if (/loss|cross_entropy|nll/i.test(name) || /\/nn\/modules\/loss\.py$|\/loss\/\w+\.py$/.test(path))
    return 'loss';
  if (
    /\/nn\/modules\/|\/bitsandbytes\/nn\/|\/peft\/|modeling_\w+\.py$|\/modeling_utils\.py$/.test(path) &&
    buildFunctions.test(name)
  )
    return 'build';
  if (name === 'forward' || name === '_call_impl' || name === 'recompute_fn') return 'forward';
  if (name === 'backward' || name === '_engine_run_backward') return 'backward';
  return null;
}

const isModelFile = ({ file, function: name }: StackFrame): boolean =>
  /(?:^|[\\/])modeling_\w+\.py$/.test(file) && name === 'forward';
const isLinear = ({ file, function: name }: StackFrame): boolean =>
  /[\\/]nn[\\/]modules[\\/]linear\.py$/.test(file) && name === 'forward';

/**
 * Whether it is the output layer that runs, or what the whole model does with its result: a linear layer right under the forward
 * of the outermost model, as in transformers, where the models inside have files of the same kind.
 */
function isOutputLayer(frames: readonly StackFrame[]): boolean {
  const models = frames.flatMap((frame, index) => (isModelFile(frame) ? [index] : []));
  const [first] = models;
  return models.length === 1 && first !== undefined && frames.slice(0, first).some(isLinear);
}

/** The innermost frame that is neither PyTorch's, nor another package's, nor Python's own: the user's line. */
export function userFrame(frames: readonly StackFrame[]): StackFrame | null {
  return (
    frames.find(
      ({ file }) =>
        !/[\\/](?:site-packages|dist-packages)[\\/]|[\\/]lib[\\/]python3?\.?\d*[\\/]|^<frozen/.test(file),
    ) ?? null
  );
}
