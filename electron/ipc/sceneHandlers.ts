import type { SceneSummary } from '../../shared/contract/scenes';
import { message } from '../../shared/i18n/message';
import type { SnapshotSource } from '../sensing/source';
import { CallRefusal, type Handlers } from './answer';

export type SceneCalls = 'scenes.list' | 'scenes.choose';

export function sceneHandlers(
  source: SnapshotSource,
  scenes: readonly SceneSummary[],
): Pick<Handlers, SceneCalls> {
  return {
    'scenes.list': () => scenes,
    'scenes.choose': async ({ sceneId }) => {
      if (sceneId !== null && !scenes.some((scene) => scene.id === sceneId))
        throw new CallRefusal('not-found', message('desktop.unknownScene', { sceneId }));
      await source.chooseScene(sceneId);
      return null;
    },
  };
}
