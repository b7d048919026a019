/** `headroom check FILE`: what a training script, notebook or configuration does wrong, found by parsing it. */
import { allRules, check as checkText, fileKind } from '../../shared/check/check';
import type { Finding } from '../../shared/check/types';
import { message } from '../../shared/i18n/message';
import { translate } from '../../shared/i18n/translate';
import { printable } from '../../shared/printable';
import { MiB } from '../../shared/units';
import { CommandError, type Command, type CommandIo } from './command';
import { columns, writeJson, writeLine } from './output';

/** The longest scripts have some ten thousand lines; notebooks carry pictures. */
const maxInputBytes = 64 * MiB;

export const check: Command = {
  name: 'check',
  summary: message('checkCommand.summary'),
  positionals: [{ name: 'FILE|-', required: false }],
  flags: [{ kind: 'switch', name: 'rules', help: message('checkCommand.rulesFlag') }],
  async run(args, io) {
    if (args.has('rules')) return listRules(args.has('json'), io);
    const file = args.positionals[0];
    if (file === undefined) throw new CommandError(message('cli.argumentMissing', { argument: 'FILE|-' }));
    const text = await io.readText(file, maxInputBytes);
    const kind = fileKind(file, text);
    if (kind === null) throw new CommandError(message('checkCommand.notChecked', { file }));
    const findings = checkText(text, kind);
    if (args.has('json')) await writeJson(io, { findings });
    else await printFindings(findings, file, io);
    return findings.some(({ severity }) => severity === 'error') ? 1 : 0;
  },
};

const severities = {
  error: message('checkCommand.error'),
  warning: message('checkCommand.warning'),
  info: message('checkCommand.info'),
} as const;

async function printFindings(findings: readonly Finding[], file: string, io: CommandIo): Promise<void> {
  if (findings.length === 0) await writeLine(io, message('checkCommand.none', { file }));
  for (const finding of findings) {
    const cell = finding.cell === null ? '' : `[${finding.cell}]`;
    const place = `${printable(file)}${cell}:${finding.line}:${finding.column}`;
    const severity = translate(io.locale, severities[finding.severity]);
    await writeLine(io, `${place}  ${severity}  ${finding.rule}  ${translate(io.locale, finding.message)}`);
    await writeLine(io, `    ${translate(io.locale, finding.why)}`);
    for (const line of finding.better.split('\n')) await writeLine(io, `    | ${line}`);
  }
}

async function listRules(json: boolean, io: CommandIo): Promise<0> {
  const rules = allRules.toSorted((a, b) => a.rule.localeCompare(b.rule, 'en'));
  if (json) await writeJson(io, { rules });
  else
    for (const line of columns(
      rules.map((rule) => [
        rule.rule,
        translate(io.locale, severities[rule.severity]),
        translate(io.locale, rule.why),
      ]),
    ))
      await writeLine(io, line);
  return 0;
}
