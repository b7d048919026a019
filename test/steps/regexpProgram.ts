/**
 * A regular expression as a program for the machine in `regexpMachine.ts`. It exists because an engine does not say how
 * many steps a match took; the machine backtracks as engines do (ECMA-262, section 22.2.2) and counts.
 */
import { RegExpParser, type AST } from '@eslint-community/regexpp';

/** Whether one character of the text fits. */
export type CharacterTest = (character: string) => boolean;

export type Instruction =
  | { readonly kind: 'character'; readonly test: CharacterTest }
  /** A single character, repeated: the most frequent loop, kept as one instruction. */
  | {
      readonly kind: 'run';
      readonly test: CharacterTest;
      readonly min: number;
      readonly max: number;
      readonly greedy: boolean;
    }
  /** Goes on at `first`, and at `second` where that fails. */
  | { readonly kind: 'split'; first: number; second: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'save'; readonly slot: number }
  | { readonly kind: 'begin'; readonly counter: number }
  /** The head of a loop over a group: leaves it at `min` to `max` rounds, or after a round that took nothing. */
  | {
      readonly kind: 'loop';
      readonly counter: number;
      readonly min: number;
      readonly max: number;
      readonly greedy: boolean;
      /** The groups inside forget what they took in the round before. */
      firstGroup: number;
      lastGroup: number;
      body: number;
      exit: number;
    }
  | { readonly kind: 'edge'; readonly edge: 'start' | 'end' | 'word'; readonly negate: boolean }
  | { readonly kind: 'look'; readonly program: Program; readonly negate: boolean }
  | { readonly kind: 'same'; readonly group: number }
  | { readonly kind: 'done' };

export interface Program {
  readonly instructions: readonly Instruction[];
  readonly backwards: boolean;
}

export interface CompiledRegExp {
  readonly program: Program;
  readonly groups: number;
  readonly counters: number;
  readonly names: ReadonlyMap<string, number>;
  /** It can only match where the search begins, so that an engine looks nowhere else. */
  readonly anchored: boolean;
}

const nativeExec = RegExp.prototype.exec;

export function compile(source: string, flags: string): CompiledRegExp {
  const unicode = flags.includes('u');
  const pattern = new RegExpParser({ ecmaVersion: 2024 }).parsePattern(source, 0, source.length, { unicode });
  const compiler = new Compiler(flags);
  const program = compiler.program(pattern.alternatives, false);
  return {
    program,
    groups: compiler.groups,
    counters: compiler.counters,
    names: compiler.names,
    anchored: !flags.includes('m') && pattern.alternatives.every(startsAtEdge),
  };
}

function startsAtEdge({ elements }: AST.Alternative): boolean {
  const [first] = elements;
  if (first?.type === 'Assertion') return first.kind === 'start';
  return first?.type === 'Group' && first.alternatives.every(startsAtEdge);
}

class Compiler {
  groups = 0;
  counters = 0;
  readonly names = new Map<string, number>();
  private readonly numbers = new Map<AST.CapturingGroup, number>();

  constructor(private readonly flags: string) {}

  program(alternatives: readonly AST.Alternative[], backwards: boolean): Program {
    const instructions: Instruction[] = [];
    this.alternatives(alternatives, instructions, backwards);
    instructions.push({ kind: 'done' });
    return { instructions, backwards };
  }

  private alternatives(
    alternatives: readonly AST.Alternative[],
    out: Instruction[],
    backwards: boolean,
  ): void {
    const jumps: { kind: 'jump'; to: number }[] = [];
    alternatives.forEach(({ elements }, place) => {
      const split: Instruction | null =
        place < alternatives.length - 1 ? { kind: 'split', first: out.length + 1, second: 0 } : null;
      if (split !== null) out.push(split);
      for (const element of backwards ? elements.toReversed() : elements)
        this.element(element, out, backwards);
      if (split === null) return;
      const jump = { kind: 'jump' as const, to: 0 };
      jumps.push(jump);
      out.push(jump);
      split.second = out.length;
    });
    for (const jump of jumps) jump.to = out.length;
  }

  private element(element: AST.Element, out: Instruction[], backwards: boolean): void {
    switch (element.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
        out.push({ kind: 'character', test: this.test(element) });
        return;
      case 'Group':
        this.alternatives(element.alternatives, out, backwards);
        return;
      case 'CapturingGroup':
        this.capture(element, out, backwards);
        return;
      case 'Quantifier':
        this.quantifier(element, out, backwards);
        return;
      case 'Assertion':
        this.assertion(element, out);
        return;
      case 'Backreference': {
        const group = Array.isArray(element.resolved) ? element.resolved[0] : element.resolved;
        if (group === undefined) throw new Error('A reference leads to no group.');
        out.push({ kind: 'same', group: this.numberOf(group) });
        return;
      }
      case 'ExpressionCharacterClass':
        throw new Error('The v flag is not known here.');
    }
  }

  private capture(group: AST.CapturingGroup, out: Instruction[], backwards: boolean): void {
    const number = this.numberOf(group);
    if (group.name !== null) this.names.set(group.name, number);
    out.push({ kind: 'save', slot: 2 * number + (backwards ? 1 : 0) });
    this.alternatives(group.alternatives, out, backwards);
    out.push({ kind: 'save', slot: 2 * number + (backwards ? 0 : 1) });
  }

  private numberOf(group: AST.CapturingGroup): number {
    const known = this.numbers.get(group);
    if (known !== undefined) return known;
    this.groups += 1;
    this.numbers.set(group, this.groups);
    return this.groups;
  }

  private quantifier(
    { element, min, max, greedy }: AST.Quantifier,
    out: Instruction[],
    backwards: boolean,
  ): void {
    if (
      element.type === 'Character' ||
      element.type === 'CharacterSet' ||
      element.type === 'CharacterClass'
    ) {
      out.push({ kind: 'run', test: this.test(element), min, max, greedy });
      return;
    }
    const counter = this.counters;
    this.counters += 1;
    out.push({ kind: 'begin', counter });
    const head = out.length;
    const loop: Instruction = {
      kind: 'loop',
      counter,
      min,
      max,
      greedy,
      firstGroup: this.groups + 1,
      lastGroup: 0,
      body: head + 1,
      exit: 0,
    };
    out.push(loop);
    this.element(element, out, backwards);
    loop.lastGroup = this.groups;
    out.push({ kind: 'jump', to: head });
    loop.exit = out.length;
  }

  private assertion(assertion: AST.Assertion, out: Instruction[]): void {
    switch (assertion.kind) {
      case 'start':
      case 'end':
        out.push({ kind: 'edge', edge: assertion.kind, negate: false });
        return;
      case 'word':
        out.push({ kind: 'edge', edge: 'word', negate: assertion.negate });
        return;
      case 'lookahead':
      case 'lookbehind': {
        const program = this.program(assertion.alternatives, assertion.kind === 'lookbehind');
        out.push({ kind: 'look', program, negate: assertion.negate });
      }
    }
  }

  /** A single character is left to the engine itself: it takes one step whatever the class is. */
  private test({ raw }: AST.QuantifiableElement): CharacterTest {
    const native = new RegExp(`^${raw}$`, this.flags.replace(/[^isu]/g, ''));
    const known = new Map<string, boolean>();
    return (character) => {
      const before = known.get(character);
      if (before !== undefined) return before;
      const fits = nativeExec.call(native, character) !== null;
      known.set(character, fits);
      return fits;
    };
  }
}
