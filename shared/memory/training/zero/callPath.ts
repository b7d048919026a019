/** Which modules are called on the way to a layer: gathering ahead goes on with every call, of modules without parameters as well. */
import type { Module } from '../../tape/module';
import type { TracedModule } from './coordinator';

/** A module that is called around others. */
export interface Container {
  readonly traced: TracedModule;
  /** Modules without parameters, such as rotary tables, which are called before its first block. */
  readonly beforeBlocks: readonly TracedModule[];
}

/** What a module is to those below it; `traced`: itself. */
export const containerOf = (module: Module, traced: TracedModule): Container => ({
  traced,
  beforeBlocks: module.children.filter(isBare).map(() => ({ parameters: [] })),
});

const isBare = ({ children, kind, parameters }: Module): boolean =>
  kind === 'other' && children.length === 0 && parameters.size === 0;

/** A `ModuleList` is never called itself. */
export const isList = ({ children, kind }: Module): boolean =>
  kind === 'other' && children.length > 0 && children.every(({ path }) => /(?:^|\.)\d+$/.test(path));

/** Follows the calls of one direction. */
export class CallPath {
  private open: readonly Container[] = [];
  /** The container whose blocks have begun. */
  private inBlocksOf: Container | null = null;

  /**
   * The calls that come before that of a layer or block, which has `around` it from the outside in. `self`: what a block is to those
   * below it, null for a layer. A block that is called again (recomputed) calls all below it again.
   */
  enter(around: readonly Container[], self: Container | null): readonly TracedModule[] {
    const shared = around.findIndex((container, index) => this.open[index] !== container);
    const entered = shared === -1 ? [] : around.slice(shared);
    const calls = entered.map(({ traced }) => traced);
    this.open = self === null ? around : [...around, self];
    const inner = around[around.length - 1] ?? null;
    if (self === null || inner === null || this.inBlocksOf === inner) return calls;
    this.inBlocksOf = inner;
    return [...calls, ...inner.beforeBlocks];
  }

  /** Before a forward of the model: nothing is open. */
  reset(): void {
    this.open = [];
    this.inBlocksOf = null;
  }
}
