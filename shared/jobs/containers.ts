/** Which containers live, by the process that keeps each of them. */

/**
 * The container of a process that Docker or Podman keeps with a process of its own, which names the container in its
 * command line. Null outside of one and for Kubernetes, where one process keeps a whole pod and names none of its
 * containers.
 */
export function keptContainer(cgroup: string | null): string | null {
  return /\/(?:docker[-/]|libpod-)([0-9a-f]{64})(?:\.scope)?(?:\/|$)/.exec(cgroup ?? '')?.[1] ?? null;
}

/** Short names (at most 15 characters) of the programs that keep a container: containerd's shims and Podman's conmon. */
export function keepsContainer(name: string): boolean {
  return /^(?:containerd-shim|docker-containe|conmon)/.test(name);
}

/** The containers that a command line names: `containerd-shim-runc-v2 -namespace moby -id ID …`, `conmon -c ID …`. */
export function containersIn(command: readonly string[] | null): readonly string[] {
  return (command ?? []).filter((word) => /^[0-9a-f]{64}$/.test(word));
}
