/** What decides the scene that plays at start; a scene that does not exist is passed over. */
export interface FirstSceneQuestion {
  /** HEADROOM_SCENE of this start. */
  readonly fromEnvironment: string | null;
  readonly fromSettings: string | null;
  readonly nvidiaSmiFound: boolean;
  readonly isScene: (id: string) => boolean;
}

/** What a machine without nvidia-smi opens with, so that a newcomer sees the app at work. */
const storyScene = 'two-3090-oom';

/** The scene to begin with, or null for the machine's own cards. */
export function chooseFirstScene(question: FirstSceneQuestion): string | null {
  const known = (id: string | null): string | null => (id !== null && question.isScene(id) ? id : null);
  return (
    known(question.fromEnvironment) ??
    known(question.fromSettings) ??
    (question.nvidiaSmiFound ? null : storyScene)
  );
}
