/**
 * The shell text behind a simulated process. A process is `sh` under the name and with the command line of what it
 * plays: the "script" in that command line is a real file that holds the text below. It registers itself, opens the
 * device files, starts its children and then waits for standard input to end, which costs nothing; when the app ends,
 * however it ends, nobody holds the other side of standard input any more and every process goes.
 */
import type { SceneProgram } from './scene';
import { devicesFolder, pidsFolder } from './state';

export const keyVariable = 'HEADROOM_SIMULATED_PROGRAM';
export const folderVariable = 'HEADROOM_SIMULATED_FOLDER';
export const programsFolder = 'programs';

/** What every script file holds: it goes on with the text of the program that it plays. */
export const scriptText = `. "$${folderVariable}/${programsFolder}/$${keyVariable}"\n`;

/**
 * The word of a command line that `sh` takes for its script: the first after argv[0] that is no option.
 * Null where there is none.
 */
export function scriptWord(command: readonly string[]): string | null {
  return command.slice(1).find((word) => !word.startsWith('-')) ?? null;
}

/** The shell text of one program; `children` are the programs that it starts. */
export function programText(program: SceneProgram, children: readonly SceneProgram[]): string {
  const devices = program.openDevices.map((minor) => `nvidia${minor}`);
  const files = devices.length === 0 ? [] : ['nvidiactl', 'nvidia-uvm', ...devices];
  return [
    program.ignoresTerminate ? "trap '' TERM" : null,
    program.shortName === null ? null : `printf %s ${quote(program.shortName)} > /proc/$$/comm 2>/dev/null`,
    'exec 3<&0',
    ...files.slice(0, freeDescriptors.length).map(openText),
    ...children.map(startText),
    registerText(program.key),
    'read -r until_the_app_ends <&3',
    '',
  ]
    .filter((line) => line !== null)
    .join('\n');
}

/** The descriptors of one digit that are left: dash takes no others in a redirection. */
const freeDescriptors = [4, 5, 6, 7, 8, 9] as const;
/** How many cards one program can hold open beside the two files that all cards share. */
export const mostOpenDevices = freeDescriptors.length - 2;

function openText(device: string, at: number): string {
  return `exec ${freeDescriptors[at]}<"$${folderVariable}/${devicesFolder}/${device}"`;
}

function startText(child: SceneProgram): string {
  const environment = Object.entries({ ...child.environment, [keyVariable]: child.key })
    .map(([name, value]) => `${name}=${quote(value)}`)
    .join(' ');
  const words = child.command.map(quote).join(' ');
  const start = (prefix: string): string => `${environment} ${prefix}${words} <&3 3<&- &`;
  if (!child.ownSession) return start('');
  return `if command -v setsid >/dev/null; then ${start('setsid ')} else ${start('')} fi`;
}

function registerText(key: string): string {
  const file = `"$${folderVariable}/${pidsFolder}/${key}"`;
  return `read -r stat_line < /proc/$$/stat 2>/dev/null && printf '%s\\n' "$stat_line" > ${file} || printf '%s\\n' $$ > ${file}`;
}

function quote(word: string): string {
  return `'${word.replace(/'/g, `'\\''`)}'`;
}
