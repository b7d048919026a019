import type { Tape } from './tape';

/** Workspaces of cuBLAS and cuBLASLt: each handle takes one with its first product and keeps it. */
export class Workspaces {
  private readonly taken = new Set<string>();

  constructor(private readonly tape: Tape) {}

  cublas(): void {
    this.take('cublas', this.tape.card.cublasWorkspaceBytes);
  }

  cublasLt(): void {
    this.take('cublasLt', this.tape.card.cublasLtWorkspaceBytes);
  }

  private take(library: string, bytes: number): void {
    const { tape, taken } = this;
    const handle = `${library} ${tape.thread} ${tape.stream}`;
    if (taken.has(handle)) return;
    taken.add(handle);
    if (bytes > 0) tape.createOwned([bytes], 1, 'workspace');
  }
}
