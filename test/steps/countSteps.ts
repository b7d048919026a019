/**
 * How many steps a piece of code takes, as a number that is the same on every machine: blocks of JavaScript that were
 * entered (V8's precise coverage), instructions of regular expressions (`regexpMachine.ts`), and characters and elements
 * that the language's own functions walk over. A reader whose steps more than double when its input doubles is not
 * linear, whatever a clock says.
 */
import { Session, type Profiler } from 'node:inspector';
import { Machine } from './regexpMachine';
import { compile, type CompiledRegExp } from './regexpProgram';

let counted = 0;
/** While the counter itself works it may use regular expressions, too. */
let isCounting = false;
const compiled = new Map<string, CompiledRegExp>();
const nativeExec = RegExp.prototype.exec;

function countedExec(this: RegExp, input: string): RegExpExecArray | null {
  if (isCounting) return nativeExec.call(this, input);
  isCounting = true;
  try {
    return execByMachine(this, String(input));
  } finally {
    isCounting = false;
  }
}

function execByMachine(pattern: RegExp, text: string): RegExpExecArray | null {
  const key = `${pattern.flags}/${pattern.source}`;
  let expression = compiled.get(key);
  if (expression === undefined) {
    expression = compile(pattern.source, pattern.flags);
    compiled.set(key, expression);
  }
  const machine = new Machine(expression, text, pattern.flags);
  const remembers = pattern.global || pattern.sticky;
  const from = remembers ? pattern.lastIndex : 0;
  const last = pattern.sticky || (expression.anchored && !remembers) ? from : text.length;
  for (let start = from; start <= Math.min(last, text.length); start += 1) {
    const match = machine.matchAt(start);
    if (match === null) continue;
    counted += machine.steps;
    if (remembers) pattern.lastIndex = match.end;
    return matchOf(expression, text, start, match.end, match.slots);
  }
  counted += machine.steps;
  if (remembers) pattern.lastIndex = 0;
  return null;
}

function matchOf(
  { groups, names }: CompiledRegExp,
  text: string,
  start: number,
  end: number,
  slots: readonly number[],
): RegExpExecArray {
  const part = (group: number): string | undefined => {
    const from = slots[2 * group] ?? -1;
    const to = slots[2 * group + 1] ?? -1;
    return from < 0 || to < 0 ? undefined : text.slice(from, to);
  };
  const parts: (string | undefined)[] = [text.slice(start, end)];
  for (let group = 1; group <= groups; group += 1) parts.push(part(group));
  const named = [...names].map(([name, group]) => [name, part(group)] as const);
  return Object.assign(parts, {
    index: start,
    input: text,
    groups: names.size === 0 ? undefined : Object.fromEntries(named),
  }) as RegExpExecArray;
}

type AnyFunction = (this: unknown, ...values: unknown[]) => unknown;

/** Puts something in the place of a method until `undo`; what it answers stays what it was. */
function replaceMethod(
  owner: object,
  name: PropertyKey,
  make: (native: AnyFunction) => AnyFunction,
): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  if (before === undefined) throw new Error(`There is no ${String(name)}.`);
  Object.defineProperty(owner, name, { ...before, value: make(before.value as AnyFunction) });
  return () => Object.defineProperty(owner, name, before);
}

const lengthOf = (value: unknown): number => (value as { readonly length: number }).length;

/** Functions that walk over all of what they are called on. */
const wholeText = ['split', 'trim', 'trimStart', 'trimEnd', 'toLowerCase', 'toUpperCase', 'normalize'];
const wholeList = [
  'includes',
  'indexOf',
  'lastIndexOf',
  'join',
  'concat',
  'reverse',
  'splice',
  'toSpliced',
  'with',
];
const search = ['indexOf', 'includes', 'lastIndexOf', 'replaceAll'];

function install(): () => void {
  const counting =
    (cost: (self: unknown, values: readonly unknown[], answer: unknown) => number) =>
    (native: AnyFunction): AnyFunction =>
      function (this: unknown, ...values: unknown[]) {
        const answer = native.apply(this, values);
        if (!isCounting) counted += cost(this, values, answer);
        return answer;
      };
  const searched = counting((self, values, answer) => {
    const from = typeof values[1] === 'number' ? values[1] : 0;
    return typeof answer === 'number' && answer >= from ? answer - from : Math.max(0, lengthOf(self) - from);
  });
  const undo = [
    replaceMethod(RegExp.prototype, 'exec', () => countedExec as AnyFunction),
    ...wholeText.map((name) =>
      replaceMethod(
        String.prototype,
        name,
        counting((self) => lengthOf(self)),
      ),
    ),
    ...search.map((name) => replaceMethod(String.prototype, name, searched)),
    ...wholeList.map((name) =>
      replaceMethod(
        Array.prototype,
        name,
        counting((self) => lengthOf(self)),
      ),
    ),
    replaceMethod(
      Array.prototype,
      'slice',
      counting((_self, _values, answer) => lengthOf(answer)),
    ),
    replaceMethod(
      JSON,
      'parse',
      counting((_self, [text]) => lengthOf(text)),
    ),
  ];
  return () => {
    for (const step of undo) step();
  };
}

/** Must begin before the code that is measured is loaded: what V8 compiled earlier has no counters for its blocks. */
export function startCounting(): void {
  session.connect();
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

const session = new Session();

function post(method: string, parameters: object = {}): unknown {
  let answer: unknown;
  session.post(method, parameters, (error: Error | null, result: unknown) => {
    if (error !== null) throw new Error(`${method}: ${JSON.stringify(error)}`);
    answer = result;
  });
  return answer;
}

function blocksEntered(): number {
  const { result } = post('Profiler.takePreciseCoverage') as Profiler.TakePreciseCoverageReturnType;
  let blocks = 0;
  for (const { url, functions } of result) {
    if (/\/test\/steps\/|\/regexpp\//.test(url)) continue;
    for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
  }
  return blocks;
}

/** The steps of `run`. Throws what it throws. */
export function countSteps(run: () => unknown): number {
  const undo = install();
  blocksEntered();
  counted = 0;
  try {
    run();
  } finally {
    undo();
  }
  return blocksEntered() + counted;
}

/**
 * The larger growth of the steps from a size to twice and to four times it. The first run is not counted: what is worked out
 * once would hide in it.
 */
export function stepGrowth(size: number, run: (size: number) => unknown): number {
  countSteps(() => run(size));
  const [one, two, four] = [size, 2 * size, 4 * size].map((each) => countSteps(() => run(each)));
  if (one === undefined || two === undefined || four === undefined) throw new Error('No steps were counted.');
  return Math.max(two / one, four / two);
}

/** For the tests of this counter: a match as the machine finds it. */
export function machineExec(expression: RegExp, text: string): RegExpExecArray | null {
  return countedExec.call(new RegExp(expression.source, expression.flags), text);
}

export function engineExec(expression: RegExp, text: string): RegExpExecArray | null {
  return nativeExec.call(new RegExp(expression.source, expression.flags), text);
}
