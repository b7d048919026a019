/** Runs the programs of `regexpProgram.ts` by backtracking on a stack of its own, and counts every instruction. */
import type { CompiledRegExp, Instruction, Program } from './regexpProgram';

export interface MachineMatch {
  readonly end: number;
  /** Start and end of each group, two slots a group; -1 where it took no part. */
  readonly slots: readonly number[];
}

/** Where to go on when what was tried fails; `left` more characters may be given back or taken by a run. */
interface Choice {
  readonly at: number;
  readonly position: number;
  readonly state: readonly number[];
  readonly run: { readonly left: number; readonly step: 1 | -1 } | null;
}

const wordCharacters = new Set('0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ');

export class Machine {
  steps = 0;

  constructor(
    private readonly compiled: CompiledRegExp,
    private readonly text: string,
    private readonly flags: string,
  ) {}

  /** The match that begins at a position; null where none does. */
  matchAt(position: number): MachineMatch | null {
    const state = new Array<number>(2 * (this.compiled.groups + 1) + 2 * this.compiled.counters).fill(-1);
    const found = this.run(this.compiled.program, position, state);
    return found === null ? null : { end: found.position, slots: found.state };
  }

  private run(
    { instructions, backwards }: Program,
    start: number,
    initial: readonly number[],
  ): { position: number; state: readonly number[] } | null {
    const choices: Choice[] = [];
    let state = [...initial];
    let position = start;
    let at = 0;
    const direction = backwards ? -1 : 1;
    for (;;) {
      this.steps += 1;
      const instruction = instructions[at];
      if (instruction === undefined) throw new Error('The program has no end.');
      let ok = true;
      switch (instruction.kind) {
        case 'done':
          return { position, state };
        case 'character': {
          const character = this.characterAt(position, direction);
          ok = character !== null && instruction.test(character);
          if (character !== null) position += direction * character.length;
          at += 1;
          break;
        }
        case 'run': {
          const taken = this.countRun(instruction, position, direction);
          if (taken === null) {
            ok = false;
            break;
          }
          const { least, most } = taken;
          at += 1;
          const chosen = instruction.greedy ? most : least;
          if (most > least)
            choices.push({
              at,
              position: position + direction * chosen,
              state: [...state],
              run: { left: most - least, step: instruction.greedy ? -1 : 1 },
            });
          position += direction * chosen;
          break;
        }
        case 'split':
          choices.push({ at: instruction.second, position, state: [...state], run: null });
          at = instruction.first;
          break;
        case 'jump':
          at = instruction.to;
          break;
        case 'save':
          state[instruction.slot] = position;
          at += 1;
          break;
        case 'begin':
          state[this.slot(instruction.counter)] = 0;
          state[this.slot(instruction.counter) + 1] = -1;
          at += 1;
          break;
        case 'loop': {
          const slot = this.slot(instruction.counter);
          const rounds = state[slot] ?? 0;
          const tookNothing = rounds > instruction.min && state[slot + 1] === position;
          if (tookNothing) {
            ok = false;
            break;
          }
          const inside = [...state];
          inside[slot] = rounds + 1;
          inside[slot + 1] = position;
          inside.fill(-1, 2 * instruction.firstGroup, 2 * instruction.lastGroup + 2);
          const mayGoOn = rounds < instruction.max;
          const mayLeave = rounds >= instruction.min;
          if (mayGoOn && mayLeave) {
            const other = instruction.greedy
              ? { at: instruction.exit, state: [...state] }
              : { at: instruction.body, state: inside };
            choices.push({ ...other, position, run: null });
          }
          const goesOn = mayGoOn && (instruction.greedy || !mayLeave);
          if (goesOn) state = [...inside];
          at = goesOn ? instruction.body : instruction.exit;
          break;
        }
        case 'edge':
          ok = this.isEdge(instruction, position);
          at += 1;
          break;
        case 'look': {
          const seen = this.run(instruction.program, position, state);
          ok = (seen !== null) !== instruction.negate;
          if (seen !== null && !instruction.negate) state = [...seen.state];
          at += 1;
          break;
        }
        case 'same': {
          const from = state[2 * instruction.group] ?? -1;
          const to = state[2 * instruction.group + 1] ?? -1;
          const wanted = from < 0 || to < 0 ? '' : this.text.slice(from, to);
          ok = this.text.startsWith(wanted, position);
          this.steps += wanted.length;
          position += wanted.length;
          at += 1;
        }
      }
      if (ok) continue;
      const next = choices.pop();
      if (next === undefined) return null;
      at = next.at;
      state = [...next.state];
      position = next.position;
      if (next.run === null) continue;
      position += direction * next.run.step;
      const left = next.run.left - 1;
      if (left > 0) choices.push({ ...next, position, run: { left, step: next.run.step } });
    }
  }

  private isWordAt(position: number): boolean {
    return wordCharacters.has(this.text[position] ?? '');
  }

  private slot(counter: number): number {
    return 2 * (this.compiled.groups + 1) + 2 * counter;
  }

  private characterAt(position: number, direction: number): string | null {
    const at = direction > 0 ? position : position - 1;
    const character = this.text[at];
    if (character === undefined) return null;
    if (!this.flags.includes('u') || direction < 0) return character;
    return String.fromCodePoint(this.text.codePointAt(at) ?? 0);
  }

  /** How many code units a run takes at least and at most; null where there are fewer than `min` characters. */
  private countRun(
    { test, min, max }: Extract<Instruction, { kind: 'run' }>,
    start: number,
    direction: number,
  ): { least: number; most: number } | null {
    let position = start;
    let count = 0;
    let least = min === 0 ? 0 : null;
    while (count < max) {
      this.steps += 1;
      const character = this.characterAt(position, direction);
      if (character === null || !test(character)) break;
      position += direction * character.length;
      count += 1;
      if (count === min) least = Math.abs(position - start);
    }
    return least === null ? null : { least, most: Math.abs(position - start) };
  }

  private isEdge({ edge, negate }: Extract<Instruction, { kind: 'edge' }>, position: number): boolean {
    const lines = this.flags.includes('m');
    switch (edge) {
      case 'start':
        return position === 0 || (lines && this.text[position - 1] === '\n');
      case 'end':
        return position === this.text.length || (lines && this.text[position] === '\n');
      case 'word':
        return (this.isWordAt(position - 1) !== this.isWordAt(position)) !== negate;
    }
  }
}
