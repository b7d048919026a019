import { once } from '../python/once';
import type { Hit, RuleText } from '../types';
import type { PythonScript, Call } from '../python/script';
import type { SyntaxNode } from '../python/tree';

/** A rule on a Python script: its words, and where it hits. It reads the tree and never runs anything. */
export interface PythonRule extends RuleText {
  readonly hits: (script: PythonScript) => readonly Hit[];
}

export function at(place: Call | SyntaxNode): Hit {
  return { at: 'method' in place ? place.node.from : place.from };
}

const wrappers = [
  'torch.nn.parallel.DistributedDataParallel',
  'torch.nn.parallel.distributed.DistributedDataParallel',
  'torch.distributed.fsdp.FullyShardedDataParallel',
  'torch.distributed.fsdp.fully_shard',
  'torch.distributed._composable.fsdp.fully_shard',
];

export function wrapperCalls(script: PythonScript): readonly Call[] {
  return script.callsTo(...wrappers);
}

/** Several ranks that the script sets up itself. */
export function isDistributed(script: PythonScript): boolean {
  return script.callsTo('torch.distributed.init_process_group').length > 0 || wrapperCalls(script).length > 0;
}

/** A library that sets ranks, samplers and devices itself: rules on doing it by hand do not apply. */
export const hasManager = once((script) =>
  [...script.imports.values()].some((name) =>
    /^(accelerate|deepspeed|lightning|pytorch_lightning|ray|composer|torchtitan)\b|^transformers\.(Seq2Seq)?Trainer\b/.test(
      name,
    ),
  ),
);

/** `test_forward` of a test suite tests code, not a model. */
export const isTestOfCode = once((script) =>
  [...script.imports.values()].some((name) => /^(?:pytest|unittest)\b/.test(name)),
);

/** In a helper of a library: what belongs to it, a loop or an end, stands in another file. */
export function isLibraryHelper(script: PythonScript, call: Call): boolean {
  const owner = script.functionOf(call.node);
  if (owner === null || isProgram(script)) return false;
  return script.callsOf(script.functionName(owner)).length === 0 && script.methods('backward').length === 0;
}

const isProgram = once((script) => script.source.includes('__main__'));

export const usesCuda = once((script) => /\bcuda\b/.test(script.source));

/** `.cuda()`, or `.to(...)` with something that names a card. */
export function isMoveToCard(script: PythonScript, call: Call): boolean {
  if (call.method === 'cuda') return true;
  if (call.method !== 'to') return false;
  const target = call.keywords.get('device') ?? call.positional[0];
  return target !== undefined && /cuda|device|local_rank|\bgpu/i.test(script.text(target));
}
