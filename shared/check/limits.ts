/**
 * What a text may ask of its reader. Every reader here is linear in what it gets, but a tree of a hundred thousand levels
 * takes a gigabyte all the same, and nobody's script has one.
 */
import { message, type Message } from '../i18n/message';

/** The longest scripts of public repositories have some ten thousand lines. */
export const mostScriptCharacters = 2 ** 21;
/** Kubernetes refuses objects of more than 1.5 MiB; configurations of accelerate have a kilobyte. */
export const mostYamlCharacters = 2 ** 20;
/** CPython's own limits: MAXLEVEL and MAXINDENT of Parser/lexer/state.h. It refuses such a script, too. */
export const mostOpenBrackets = 200;
export const mostIndents = 100;
/** Levels of the syntax tree: a chain of so many calls, operators or `elif`s. */
export const mostLevels = 500;
/** Levels of a YAML document; a pod's deepest field is at 12. */
export const mostYamlLevels = 64;
/** Anchors and aliases of a YAML text; every alias may be a document of its own once it is followed. */
export const mostYamlAliases = 1000;

/** A text asks for more than a limit allows: it is not read, and `limit` says why in one line. */
export class OverLimit extends Error {
  constructor(
    readonly limit: Message,
    /** Where the limit was met, as a position in the text. */
    readonly at: number,
  ) {
    super(limit.key);
    this.name = 'OverLimit';
  }
}

/** Throws OverLimit for a text of more characters. */
export function refuseLonger(source: string, most: number): void {
  if (source.length > most) throw new OverLimit(message('check.overLength', { limit: most }), most);
}
