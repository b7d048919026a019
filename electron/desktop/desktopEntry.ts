import type { Start } from './autostart';

/**
 * The text of a desktop entry that starts the app. Words are quoted as the specification asks, first for the command
 * line, then for the file (https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html).
 */
export function desktopEntry({ program, args }: Start): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Headroom',
    'Comment=Watches the memory of NVIDIA cards',
    `Exec=${escaped([program, ...args].map(quotedWord).join(' '))}`,
    `TryExec=${escaped(program)}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/** Whether the desktop's settings switched an entry off without removing it. */
export function isSwitchedOff(entry: string): boolean {
  return /^[ \t]*(?:Hidden[ \t]*=[ \t]*true|X-GNOME-Autostart-enabled[ \t]*=[ \t]*false)[ \t\r]*$/m.test(
    entry,
  );
}

/** In quotes a word may hold anything, but these characters need a backslash and a percent sign is doubled. */
function quotedWord(word: string): string {
  const safe = word.replace(/["`$\\]/g, (character) => `\\${character}`).replaceAll('%', '%%');
  return /^[\w@+=:,./-]+$/.test(word) ? safe : `"${safe}"`;
}

/** The file's own escapes, which are undone before the command line is read. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
