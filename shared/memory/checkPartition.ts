/** What is in the way of cutting a model over cards: between its layers, or through them. */
import { message, type Message } from '../i18n/message';
import type { Architecture } from '../model/architecture';
import { stageObstacle } from '../model/stages';
import { tensorObstacle, tensorShard } from '../model/tensorParallel';
import type { EstimateRequest } from './configuration';
import { adapterPlans } from './training/adapterPlan';

/** The reason why tensor or pipeline parallelism cannot be had, or null. */
export function checkPartition(architecture: Architecture, request: EstimateRequest): Message | null {
  switch (request.strategy) {
    case 'pipeline':
      return checkStages(architecture, request);
    case 'tensor':
      return checkTensor(architecture, request);
    default:
      return null;
  }
}

function checkStages(architecture: Architecture, { world }: EstimateRequest): Message | null {
  const { className, stacks } = architecture;
  const layers = stacks.reduce((sum, stack) => sum + stack.layers.length, 0);
  switch (stageObstacle(architecture, world)) {
    case null:
      return null;
    case 'several-stacks':
      return message('memory.stagesOfOneStack', { className, count: stacks.length });
    case 'shared-layers':
      return message('memory.stagesOfSharedLayers', { className });
    case 'too-few-layers':
      return message('memory.tooFewLayers', { layers, world });
  }
}

function checkTensor(architecture: Architecture, { training, world }: EstimateRequest): Message | null {
  const { className } = architecture;
  const { method } = training;
  const obstacle = tensorObstacle(architecture, world);
  if (obstacle?.kind === 'no-plan') return message('memory.noTensorPlan', { className });
  if (obstacle?.kind === 'uneven') {
    const values = { size: obstacle.size, world };
    switch (obstacle.what) {
      case 'heads':
        return message('memory.unevenHeads', values);
      case 'key-value-heads':
        return message('memory.unevenKeyValueHeads', values);
      case 'width':
        return message('memory.unevenWidth', values);
      case 'vocabulary':
        return message('memory.unevenVocabulary', values);
    }
  }
  if (method.kind === 'qlora') return message('memory.qloraTensor');
  if (method.kind === 'full') return null;
  return checkTensorAdapters(architecture, world, method.adapters);
}

/** peft puts an adapter's pair beside a projection that is cut by columns or by rows, and knows no other cuts. */
function checkTensorAdapters(
  architecture: Architecture,
  world: number,
  { rank, targets }: Extract<EstimateRequest['training']['method'], { kind: 'lora' }>['adapters'],
): Message | null {
  const { layouts } = tensorShard(architecture, world);
  const adapted = adapterPlans(architecture, rank, targets);
  const odd = adapted.find(({ modulePath, parameter }) => {
    const layout = layouts.get(modulePath);
    return (
      layout === 'gathered' || layout === 'split' || (parameter !== null && modulePath.endsWith('experts'))
    );
  });
  return odd === undefined ? null : message('memory.loraTensor', { module: odd.modulePath });
}
