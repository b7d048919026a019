/** Frames as short texts: `/usr/lib/…/functional.py:3504:cross_entropy` becomes `functional.py:3504:cross_entropy`. */
export const shortFrame = (frame: string): string => frame.replace(/^.*[\\/](?=[^\\/]+:\d+:)/, '');

/** Frames that stand around every module and say nothing. */
const wrapper = /:(?:_call_impl|_wrapped_call_impl|wrapper|_use_grad|decorate_\w+|inner|_fn)$/;

/** The frames that say what was going on, innermost first. */
export const tellingFrames = (frames: readonly string[]): readonly string[] =>
  frames.filter((frame) => !wrapper.test(frame));
