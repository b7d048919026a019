/** Texts of the forecast: the command that replays a recorded series, and the words for each state. */
export const forecast = {
  summary: 'Replay a recorded memory series through the forecaster.',
  alert: 'At {t} s: full in about {eta:duration}, rising by {slope:bytes} a second.',
  alertBetween: 'At {t} s: full in {least~most:duration}, rising by {slope:bytes} a second.',
  steady: 'At the end memory is steady.',
  growing: 'At the end memory is growing.',
  spiky: 'At the end memory rises and falls without a trend.',
  unknown: 'The series is too short to say anything.',
  notJson: '{file}: not JSON; expected an object with capacity_bytes and samples',
  notASeries:
    '{file}: {part} is missing or wrong; expected capacity_bytes and samples, each sample seconds and bytes, in ascending order',
} as const;
