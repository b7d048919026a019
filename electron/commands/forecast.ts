/** `headroom forecast FILE`: a recorded series played through the forecaster as if live. */
import { readRecording, type Recording } from '../../shared/gpu/forecast/recording';
import { replay, type FillAlert } from '../../shared/gpu/forecast/replay';
import { isOneTime } from '../../shared/gpu/forecast/warning';
import { message, type Message } from '../../shared/i18n/message';
import { MiB } from '../../shared/units';
import { CommandError, type Command } from './command';
import { writeJson, writeLine } from './output';

/** A day at four samples a second is about 10 MiB of JSON. */
const maxInputBytes = 64 * MiB;

const states = {
  steady: message('forecast.steady'),
  growing: message('forecast.growing'),
  spiky: message('forecast.spiky'),
  unknown: message('forecast.unknown'),
} as const;

export const forecast: Command = {
  name: 'forecast',
  summary: message('forecast.summary'),
  positionals: [{ name: 'FILE|-', required: true }],
  flags: [],
  async run(args, io) {
    const file = args.positionals[0] ?? '-';
    const recording = parseRecording(await io.readText(file, maxInputBytes), file);
    const { alerts, final } = replay(recording.samples, recording.capacityBytes);
    if (args.has('json')) {
      await writeJson(io, { alerts, final });
      return 0;
    }
    for (const alert of alerts) await writeLine(io, alertText(alert));
    await writeLine(io, states[final.state]);
    return 0;
  },
};

function alertText({ t, etaSeconds, etaRangeSeconds, slopeBytesPerSecond: slope }: FillAlert): Message {
  const [least, most] = etaRangeSeconds;
  return isOneTime(etaRangeSeconds)
    ? message('forecast.alert', { t: Math.round(t), eta: etaSeconds, slope })
    : message('forecast.alertBetween', { t: Math.round(t), least, most, slope });
}

function parseRecording(text: string, file: string): Recording {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandError(message('forecast.notJson', { file }));
  }
  const recording = readRecording(value);
  if ('wrong' in recording)
    throw new CommandError(message('forecast.notASeries', { file, part: recording.wrong }));
  return recording;
}
