import {
  above,
  allNodes,
  argumentsOf,
  childrenOf,
  descendants,
  parsePython,
  type Argument,
  type SyntaxNode,
} from './tree';
import { readImports, type ImportNames } from './imports';
import { groupBy, lastBefore } from './ordered';

/** A call with its callee resolved through imports, and through what variables were made by. */
export interface Call {
  readonly node: SyntaxNode;
  /** `torch.utils.data.DataLoader`; for a method `?.backward`, or `torch.nn.Linear().to` where its object is known. */
  readonly name: string;
  /** The callee as written. */
  readonly written: string;
  /** The object of a method call. */
  readonly object: SyntaxNode | null;
  readonly method: string | null;
  readonly positional: readonly SyntaxNode[];
  readonly keywords: ReadonlyMap<string, SyntaxNode>;
  /** It passes `*args` or `**kwargs`, so that a missing keyword may be there. */
  readonly isOpen: boolean;
}

export interface Assignment {
  readonly target: string;
  readonly value: SyntaxNode;
  readonly node: SyntaxNode;
}

const loops = new Set(['ForStatement', 'WhileStatement']);
const functions = new Set(['FunctionDefinition', 'LambdaExpression']);

/** A parsed script and the questions that rules ask of it. */
export class PythonScript {
  readonly nodes: readonly SyntaxNode[];
  readonly imports: ImportNames;
  readonly hasStarImport: boolean;
  readonly calls: readonly Call[];
  readonly assignments: readonly Assignment[];
  /** Names of the functions and methods that the script defines. */
  readonly functionNames: ReadonlySet<string>;
  private readonly callByRange = new Map<string, Call>();
  private readonly callsByName: ReadonlyMap<string, readonly Call[]>;
  private readonly callsByMethod: ReadonlyMap<string, readonly Call[]>;
  private readonly callsByText: ReadonlyMap<string, readonly Call[]>;
  private readonly assignmentsByTarget: ReadonlyMap<string, readonly Assignment[]>;
  /** Answers to questions that were asked before, by their words. */
  private readonly selections = new Map<string, readonly Call[]>();
  private readonly conditions = new Map<number, readonly string[]>();
  private readonly heads = new WeakMap<(name: string) => boolean, Map<string, boolean>>();
  /** Variable → the qualified callee that made it, where every assignment agrees. */
  private readonly makers: ReadonlyMap<string, string>;
  private readonly importRoots: ReadonlySet<string>;
  /** The parser had to guess somewhere: what is missing may be there. */
  readonly isBroken: boolean;

  constructor(readonly source: string) {
    this.nodes = allNodes(parsePython(source));
    const { names, hasStar } = readImports(this.nodes, source);
    this.imports = names;
    this.importRoots = new Set([...names.values()].map((name) => name.split('.')[0] ?? name));
    this.hasStarImport = hasStar;
    this.isBroken = this.nodes.some(({ type }) => type.isError);
    this.assignments = this.nodes.flatMap((node) => this.assignmentsOf(node));
    this.functionNames = new Set(
      this.nodes.flatMap((node) => (node.name === 'FunctionDefinition' ? [this.functionName(node)] : [])),
    );
    this.makers = this.findMakers();
    this.assignmentsByTarget = groupBy(this.assignments, ({ target }) => target);
    const calls: Call[] = [];
    // From the inside out: the name of `a().b()` is made of the name of `a()`.
    for (const node of this.nodes.toReversed()) {
      if (node.name !== 'CallExpression') continue;
      const call = this.callOf(node);
      calls.push(call);
      this.callByRange.set(rangeOf(node), call);
    }
    this.calls = calls.reverse();
    this.callsByName = groupBy(this.calls, ({ name }) => name);
    this.callsByMethod = groupBy(this.calls, ({ method }) => method);
    this.callsByText = groupBy(this.calls, ({ written }) => written);
  }

  text(node: SyntaxNode): string {
    return this.source.slice(node.from, node.to);
  }

  /** The call that a node is; null for other expressions. */
  callAt(node: SyntaxNode): Call | null {
    return node.name === 'CallExpression' ? (this.callByRange.get(rangeOf(node)) ?? null) : null;
  }

  /** Calls whose resolved name is one of these. */
  callsTo(...names: readonly string[]): readonly Call[] {
    return this.select('name', this.callsByName, names);
  }

  /** Method calls of this name on anything. */
  methods(...names: readonly string[]): readonly Call[] {
    return this.select('method', this.callsByMethod, names);
  }

  /** Calls of a function or method of the script by its name. */
  callsOf(name: string): readonly Call[] {
    return this.select('text', this.callsByText, [name, `self.${name}`]);
  }

  /** The assignments to a name, in source order. */
  assignmentsTo(target: string): readonly Assignment[] {
    return this.assignmentsByTarget.get(target) ?? [];
  }

  private select(
    what: string,
    groups: ReadonlyMap<string, readonly Call[]>,
    names: readonly string[],
  ): readonly Call[] {
    const question = `${what} ${names.join(' ')}`;
    const before = this.selections.get(question);
    if (before !== undefined) return before;
    const found = names.flatMap((name) => groups.get(name) ?? []);
    const answer = found.sort((a, b) => a.node.from - b.node.from || b.node.to - a.node.to);
    this.selections.set(question, answer);
    return answer;
  }

  /** The qualified name of a name or member chain; null for other expressions. */
  qualified(node: SyntaxNode): string | null {
    if (node.name === 'VariableName') {
      const name = this.text(node);
      return this.imports.get(name) ?? name;
    }
    if (node.name !== 'MemberExpression') return null;
    const [object, ...rest] = childrenOf(node);
    const property = rest.find(({ name }) => name === 'PropertyName');
    if (object === undefined || property === undefined) return null;
    const base = this.qualified(object);
    return base === null ? null : `${base}.${this.text(property)}`;
  }

  /** The callee that made the value of an expression: of a call itself, or of a variable that holds its result. */
  makerOf(node: SyntaxNode): string | null {
    if (node.name === 'CallExpression') return (this.callAt(node) ?? this.callOf(node)).name;
    if (node.name === 'VariableName' || node.name === 'MemberExpression')
      return this.makers.get(this.text(node)) ?? null;
    return null;
  }

  /** The callee that made the value that a variable has at a place: by the last assignment that ends before it. */
  makerBefore(variable: SyntaxNode, place: SyntaxNode): string | null {
    const last = lastBefore(this.assignmentsTo(this.text(variable)), place.from);
    return last === undefined ? this.makerOf(variable) : this.makerOf(last.value);
  }

  /** The innermost loop around a node, within its function. */
  loopOf(node: SyntaxNode): SyntaxNode | null {
    return above(node, loops, functions);
  }

  functionOf(node: SyntaxNode): SyntaxNode | null {
    return above(node, functions);
  }

  functionName(node: SyntaxNode): string {
    const name = childrenOf(node).find((child) => child.name === 'VariableName');
    return name === undefined ? '' : this.text(name);
  }

  /** Whether a node runs under `with NAME():`, or in a function decorated by it, of a name that is meant. */
  isUnder(node: SyntaxNode, isMeant: (name: string) => boolean): boolean {
    const known = this.heads.get(isMeant) ?? new Map<string, boolean>();
    this.heads.set(isMeant, known);
    for (let up: SyntaxNode | null = node; up !== null; up = up.parent) {
      if (up.name !== 'WithStatement' && up.name !== 'DecoratedStatement') continue;
      const answer = known.get(rangeOf(up)) ?? this.headsOf(up).some((name) => isMeant(name));
      known.set(rangeOf(up), answer);
      if (answer) return true;
    }
    return false;
  }

  /** The names in what a `with` enters, or in the decorators of a function. */
  private headsOf(statement: SyntaxNode): readonly string[] {
    return childrenOf(statement)
      .filter(({ name }) => (statement.name === 'WithStatement' ? name !== 'Body' : name === 'Decorator'))
      .flatMap((head) => this.namesIn(head));
  }

  /** All qualified names that occur below a node. */
  namesIn(node: SyntaxNode): readonly string[] {
    if (node.name === 'Decorator') {
      const dotted = childrenOf(node).filter(({ name }) => name === 'VariableName');
      const [first, ...rest] = dotted.map((part) => this.text(part));
      return first === undefined ? [] : [[this.imports.get(first) ?? first, ...rest].join('.')];
    }
    return descendants(node).flatMap((one) =>
      one.name === 'MemberExpression' || one.name === 'VariableName' ? [this.qualified(one) ?? ''] : [],
    );
  }

  /** Conditions of the `if`s around a node, as written, from the inside out. */
  conditionsAround(node: SyntaxNode): readonly string[] {
    for (let from = node, up = node.parent; up !== null; from = up, up = up.parent) {
      if (up.name !== 'IfStatement' || from.name !== 'Body') continue;
      const known = this.conditions.get(from.from);
      if (known !== undefined) return known;
      const condition = from.prevSibling;
      const own = condition === null || condition.name === 'else' ? [] : [this.text(condition)];
      const found = [...own, ...this.conditionsAround(up)];
      this.conditions.set(from.from, found);
      return found;
    }
    return [];
  }

  private callOf(node: SyntaxNode): Call {
    const [callee, list] = childrenOf(node);
    const args: readonly Argument[] = list === undefined ? [] : argumentsOf(list, this.source);
    const isMethod = callee?.name === 'MemberExpression';
    const object = isMethod ? callee.firstChild : null;
    const property = isMethod ? callee.lastChild : null;
    return {
      node,
      name: callee === undefined ? '' : this.calleeName(callee, object, property),
      written: callee === undefined ? '' : this.text(callee),
      object,
      method: property === null ? null : this.text(property),
      positional: args.flatMap(({ keyword, value, spread }) => (keyword === null && !spread ? [value] : [])),
      keywords: new Map(args.flatMap(({ keyword, value }) => (keyword === null ? [] : [[keyword, value]]))),
      isOpen: args.some(({ spread }) => spread),
    };
  }

  private calleeName(callee: SyntaxNode, object: SyntaxNode | null, property: SyntaxNode | null): string {
    const qualified = this.qualified(callee);
    const root = qualified?.split('.')[0] ?? '';
    if (qualified !== null && (object === null || this.importRoots.has(root))) return qualified;
    const maker = object === null ? null : this.makerOf(object);
    return `${maker === null ? '?' : `${maker}()`}.${property === null ? '' : this.text(property)}`;
  }

  private assignmentsOf(node: SyntaxNode): readonly Assignment[] {
    if (node.name !== 'AssignStatement' && node.name !== 'NamedExpression') return [];
    const children = childrenOf(node);
    const value = children[children.length - 1];
    if (value === undefined) return [];
    return children
      .slice(0, -1)
      .filter(({ name }) => name === 'VariableName' || name === 'MemberExpression')
      .map((target) => ({ target: this.text(target), value, node }));
  }

  private findMakers(): ReadonlyMap<string, string> {
    const makers = new Map<string, string>();
    for (const { target, value } of this.assignments) {
      if (value.name !== 'CallExpression') continue;
      const callee = value.firstChild;
      const name = callee === null ? null : this.qualified(callee);
      if (name !== null && !makers.has(target)) makers.set(target, name);
    }
    return makers;
  }
}

/** Two nodes of one kind never have the same. */
const rangeOf = ({ from, to }: SyntaxNode): string => `${from}-${to}`;
