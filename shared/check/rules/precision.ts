import { message } from '../../i18n/message';
import { once } from '../python/once';
import type { Call, PythonScript } from '../python/script';
import { above } from '../python/tree';
import { at, hasManager, type PythonRule } from './pythonRule';

const scalers = [
  'torch.cuda.amp.GradScaler',
  'torch.amp.GradScaler',
  'torch.amp.grad_scaler.GradScaler',
  'torch.cuda.amp.grad_scaler.GradScaler',
];

function isHalfAutocast(script: PythonScript, call: Call): boolean {
  if (!/(^|\.)autocast$/.test(call.name)) return false;
  const type = call.keywords.get('dtype') ?? call.positional[1];
  if (type !== undefined)
    return /float16|\bhalf\b/.test(script.text(type)) && !/bfloat16/.test(script.text(type));
  // Without a dtype CUDA's autocast means float16.
  return (
    call.name === 'torch.cuda.amp.autocast' ||
    /cuda/.test(script.text(call.positional[0] ?? call.keywords.get('device_type') ?? call.node))
  );
}

export const precisionRules: readonly PythonRule[] = [
  {
    rule: 'deprecated-cuda-amp',
    severity: 'info',
    message: message('check.cudaAmp'),
    why: message('check.cudaAmpWhy'),
    better: 'torch.amp.autocast("cuda", dtype=torch.bfloat16)\ntorch.amp.GradScaler("cuda")',
    hits: (script) =>
      script.calls
        .filter(({ name }) =>
          /^torch\.cuda\.amp\.(autocast|GradScaler|grad_scaler|autocast_mode)[^()]*$/.test(name),
        )
        .map(at),
  },
  {
    rule: 'half-without-scaler',
    severity: 'error',
    message: message('check.noScaler'),
    why: message('check.noScalerWhy'),
    better:
      'scaler = torch.amp.GradScaler("cuda")\nscaler.scale(loss).backward(); scaler.step(optimizer); scaler.update()\n# or autocast("cuda", dtype=torch.bfloat16), which needs none',
    hits: (script) =>
      script.callsTo(...scalers).length > 0 || hasManager(script) || script.methods('backward').length === 0
        ? []
        : script.calls
            .filter((call) => isHalfAutocast(script, call))
            .slice(0, 1)
            .map(at),
  },
  {
    rule: 'clips-scaled-gradients',
    severity: 'error',
    message: message('check.clipScaled'),
    why: message('check.clipScaledWhy'),
    better: 'scaler.unscale_(optimizer)\ntorch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)',
    hits: (script) =>
      script.callsTo(...scalers).length === 0 || script.methods('unscale_').length > 0
        ? []
        : script
            .callsTo(
              'torch.nn.utils.clip_grad_norm_',
              'torch.nn.utils.clip_grad_value_',
              'torch.nn.utils.clip_grad.clip_grad_norm_',
            )
            .filter((call) => followsScaling(script, call))
            .map(at),
  },
];

/** Whether the gradients that a call sees were scaled: in its own block or one around it, not in another branch. */
function followsScaling(script: PythonScript, call: Call): boolean {
  const firstScaling = firstScalings(script);
  for (let block = above(call.node, blocks); block !== null; block = above(block, blocks))
    if ((firstScaling.get(block.from) ?? Infinity) < call.node.from) return true;
  return false;
}

const blocks = new Set(['Body', 'Script']);

/** By the place of a block: where the gradients are first scaled in it, inner blocks apart. */
const firstScalings = once((script) => {
  const first = new Map<number, number>();
  for (const { node } of script.methods('scale')) {
    const block = above(node, blocks);
    if (block !== null && !first.has(block.from)) first.set(block.from, node.from);
  }
  return first;
});
