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
  private readonly callByRange: ReadonlyMap<string, Call>;
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
    this.calls = this.nodes.filter(({ name }) => name === 'CallExpression').map((node) => this.callOf(node));
    this.callByRange = new Map(this.calls.map((call) => [`${call.node.from}-${call.node.to}`, call]));
  }

  text(node: SyntaxNode): string {
    return this.source.slice(node.from, node.to);
  }

  /** The call that a node is; null for other expressions. */
  callAt(node: SyntaxNode): Call | null {
    return node.name === 'CallExpression' ? (this.callByRange.get(`${node.from}-${node.to}`) ?? null) : null;
  }

  /** Calls whose resolved name is one of these. */
  callsTo(...names: readonly string[]): readonly Call[] {
    return this.calls.filter((call) => names.includes(call.name));
  }

  /** Method calls of this name on anything. */
  methods(...names: readonly string[]): readonly Call[] {
    return this.calls.filter((call) => call.method !== null && names.includes(call.method));
  }

  /** Calls of a function or method of the script by its name. */
  callsOf(name: string): readonly Call[] {
    return this.calls.filter((use) => use.written === name || use.written === `self.${name}`);
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
    if (node.name === 'CallExpression') return this.callOf(node).name;
    if (node.name === 'VariableName' || node.name === 'MemberExpression')
      return this.makers.get(this.text(node)) ?? null;
    return null;
  }

  /** The callee that made the value that a variable has at a place: by the last assignment that ends before it. */
  makerBefore(variable: SyntaxNode, place: SyntaxNode): string | null {
    const name = this.text(variable);
    const last = this.assignments.findLast(({ target, node }) => target === name && node.to <= place.from);
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
    for (let up: SyntaxNode | null = node; up !== null; up = up.parent) {
      const heads =
        up.name === 'WithStatement'
          ? childrenOf(up).filter(({ name }) => name !== 'Body')
          : up.name === 'DecoratedStatement'
            ? childrenOf(up).flatMap((child) => (child.name === 'Decorator' ? [child] : []))
            : [];
      for (const head of heads) if (this.namesIn(head).some(isMeant)) return true;
    }
    return false;
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

  /** Conditions of the `if`s around a node, as written. */
  conditionsAround(node: SyntaxNode): readonly string[] {
    const found: string[] = [];
    for (let up = node.parent, from = node; up !== null; from = up, up = up.parent) {
      if (up.name !== 'IfStatement' || from.name !== 'Body') continue;
      const children = childrenOf(up);
      const place = children.findIndex((child) => child.from === from.from && child.name === 'Body');
      const condition = children[place - 1];
      if (condition !== undefined && condition.name !== 'else') found.push(this.text(condition));
    }
    return found;
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
