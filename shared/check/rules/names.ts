import { message } from '../../i18n/message';
import { childrenOf, descendants, type SyntaxNode } from '../python/tree';
import type { PythonScript } from '../python/script';
import type { PythonRule } from './pythonRule';

/** Names that Python, or a notebook, always has. */
const builtins = new Set(
  (
    'abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir divmod ' +
    'enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len license list ' +
    'locals map max memoryview min next object oct open ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum ' +
    'super tuple type vars zip self cls None True False Ellipsis NotImplemented __name__ __file__ __doc__ __builtins__ __package__ __spec__ __loader__ ' +
    '__import__ __debug__ __path__ __class__ __annotations__ __dict__ __module__ __qualname__ _ __ ___ get_ipython display In Out reveal_type ' +
    'ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError BufferError BytesWarning ' +
    'ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError EncodingWarning ' +
    'EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ' +
    'ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ' +
    'ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ' +
    'ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError ' +
    'SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError ' +
    'UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError WindowsError'
  ).split(' '),
);

/** Python 2 had these: no fault where a script asks which Python it runs on. */
const ofPython2 = new Set([
  'unicode',
  'basestring',
  'xrange',
  'raw_input',
  'long',
  'unichr',
  'reduce',
  'cmp',
  'file',
]);

/** The import that people mean by a name. */
const usualImports: Readonly<Record<string, string>> = {
  torch: 'import torch',
  nn: 'from torch import nn',
  F: 'import torch.nn.functional as F',
  np: 'import numpy as np',
  pd: 'import pandas as pd',
  plt: 'import matplotlib.pyplot as plt',
  dist: 'import torch.distributed as dist',
  mp: 'import torch.multiprocessing as mp',
  DDP: 'from torch.nn.parallel import DistributedDataParallel as DDP',
  DistributedDataParallel: 'from torch.nn.parallel import DistributedDataParallel',
  FSDP: 'from torch.distributed.fsdp import FullyShardedDataParallel as FSDP',
  DataLoader: 'from torch.utils.data import DataLoader',
  Dataset: 'from torch.utils.data import Dataset',
  DistributedSampler: 'from torch.utils.data.distributed import DistributedSampler',
  GradScaler: 'from torch.amp import GradScaler',
  autocast: 'from torch.amp import autocast',
  checkpoint: 'from torch.utils.checkpoint import checkpoint',
  tqdm: 'from tqdm import tqdm',
  deepspeed: 'import deepspeed',
  Accelerator: 'from accelerate import Accelerator',
};

/** Modules that training scripts call by their own name. Any other name may come out of any module, which is left to be filled in. */
const modules = new Set(
  (
    'argparse asyncio base64 bisect cProfile collections contextlib copy csv ctypes cv2 dataclasses datasets datetime einops enum faulthandler functools gc ' +
    'glob h5py hashlib heapq importlib inspect io itertools json logging math matplotlib multiprocessing numpy operator os pandas pathlib peft pickle ' +
    'platform pprint psutil queue random re requests scipy shutil signal sklearn socket statistics string struct subprocess sys tempfile textwrap ' +
    'threading time timm torchaudio torchmetrics torchvision traceback transformers triton trl types typing uuid wandb warnings weakref yaml zipfile'
  ).split(' '),
);

export const nameRules: readonly PythonRule[] = [
  {
    rule: 'name-not-imported',
    severity: 'error',
    message: message('check.notImported', { name: '' }),
    why: message('check.notImportedWhy'),
    better: 'import torch',
    hits: (script) => {
      if (!/\b(torch|tensorflow|jax|transformers)\b/.test(script.source)) return [];
      if (script.isBroken || script.hasStarImport || script.callsTo('exec', 'globals', 'vars').length > 0)
        return [];
      const bound = boundNames(script);
      const speaksPython2 = /\b(version_info|PY2|six)\b/.test(script.source);
      const seen = new Set<string>();
      return script.nodes.flatMap((node) => {
        if (node.name !== 'VariableName' || !isRead(node)) return [];
        const name = script.text(node);
        if (bound.has(name) || builtins.has(name) || seen.has(name)) return [];
        if (speaksPython2 && ofPython2.has(name)) return [];
        seen.add(name);
        return [
          {
            at: node.from,
            message: message('check.notImported', { name }),
            better:
              usualImports[name] ?? (modules.has(name) ? `import ${name}` : `from MODULE import ${name}`),
          },
        ];
      });
    },
  },
];

/** Every name that something in the file gives a value, in whatever scope: what is missing here is missing everywhere. */
function boundNames(script: PythonScript): ReadonlySet<string> {
  const bound = new Set<string>(script.imports.keys());
  const add = (node: SyntaxNode | null | undefined): void => {
    if (node?.name === 'VariableName') bound.add(script.text(node));
  };
  const addTargets = (nodes: readonly SyntaxNode[]): void => {
    for (const node of nodes) for (const one of targetNames(node)) add(one);
  };
  for (const node of script.nodes) {
    const children = childrenOf(node);
    const index = (name: string): number => children.findIndex((child) => child.name === name);
    // A loop, a comprehension, or a generator that is a call's only argument.
    let isTarget = false;
    let isNamed = false;
    for (const child of children) {
      if (child.name === 'in') isTarget = false;
      if (isTarget) addTargets([child]);
      if (child.name === 'for') isTarget = true;
    }
    switch (node.name) {
      // `f(n := 3)`
      case 'ArgList':
        children.forEach((child, place) => {
          const next = children[place + 1];
          if (next !== undefined && script.text(next) === ':=') add(child);
        });
        break;
      case 'FunctionDefinition':
      case 'ClassDefinition':
        add(children.find(({ name }) => name === 'VariableName'));
        break;
      case 'ParamList':
        children.forEach((child, place) => {
          if (children[place - 1]?.name !== 'AssignOp') add(child);
        });
        break;
      case 'AssignStatement':
        addTargets(children.slice(0, lastIndexOf(children, 'AssignOp')));
        if (index('TypeDef') >= 0) add(children[0]);
        break;
      case 'UpdateStatement':
      case 'NamedExpression':
        add(children[0]);
        break;
      case 'WithStatement':
      case 'TryStatement':
        for (const [place, child] of children.entries()) {
          // The names of a tuple stand here one by one (python/tree.ts).
          isNamed =
            children[place - 1]?.name === 'as' ||
            (isNamed && (child.name === 'VariableName' || child.name === ','));
          if (isNamed) addTargets([child]);
        }
        break;
      case 'ScopeStatement':
      case 'TypeParamList':
        children.forEach(add);
        break;
      case 'CapturePattern':
      case 'AsPattern':
      case 'StarPattern':
      case 'MappingPattern':
      case 'TypeDefinition':
        descendants(node).forEach(add);
        break;
    }
  }
  return bound;
}

function lastIndexOf(children: readonly SyntaxNode[], name: string): number {
  for (let place = children.length - 1; place >= 0; place -= 1)
    if (children[place]?.name === name) return place;
  return 0;
}

/** Names in a target, through tuples and lists; not the parts of `a.b` and `a[i]`, which must exist already. */
function targetNames(node: SyntaxNode): SyntaxNode[] {
  switch (node.name) {
    case 'VariableName':
      return [node];
    case 'TupleExpression':
    case 'ArrayExpression':
    case 'ParenthesizedExpression':
    case 'StarExpression':
      return childrenOf(node).flatMap(targetNames);
    default:
      return [];
  }
}

function isRead(node: SyntaxNode): boolean {
  const { parent, nextSibling } = node;
  if (parent === null || parent.name === 'ImportStatement' || parent.name === 'ScopeStatement') return false;
  // Of `@functools.wraps` only the first name is looked up.
  if (parent.name === 'Decorator') return node.prevSibling?.name === 'At';
  const isKeyword = parent.name === 'ArgList' && nextSibling?.name === 'AssignOp';
  return !isKeyword && !/Pattern$|^KeywordPattern$/.test(parent.name);
}
