import type { Head, Stack } from '../../../model/architecture';
import { type ReadArchitecture, placed } from '../../../model/decoderClasses';
import type { ModelClass } from '../../../model/modelClass';
import type { ModuleNode } from '../../../model/modules';
import { group, linear } from '../../../model/nodes';

/** The classifier of a vision model under its base, or the base alone. */
export function visionModel(
  modelClass: ModelClass,
  family: string,
  base: string,
  stack: Stack,
  children: readonly (ModuleNode | null)[],
  pooled: readonly ModuleNode[],
  inputSize: number,
): ReadArchitecture {
  const common = { family, className: modelClass.name, connectors: [] };
  if (modelClass.kind !== 'image-classification')
    return {
      ...common,
      stacks: [stack],
      head: { kind: 'none' },
      modules: group('', [...children, ...pooled]),
      warnings: [],
    };
  const { labels } = modelClass;
  const head: Head = { kind: 'classifier', labels, over: 'input', transform: null, dropout: 0 };
  return {
    ...common,
    stacks: [placed(stack, base)],
    head,
    modules: group('', [
      group(base, [...children, ...pooled]),
      linear('classifier', inputSize, labels, true),
    ]),
    warnings: [],
  };
}
