import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, release, totalmem } from "node:os";

/** The machine on which the figures were measured. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
  /** Measured commit, with a marker if files have changed since the commit. */
  readonly commit: string;
}

export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    commit: readCommit(),
  };
}

/** Describes in a sentence when and on which machine the figures were measured. */
export function describeRun(run: { startedAt: string; machine: Machine; rounds: number }): string {
  const { processor, cores, memoryGiB, kernel, node, commit } = run.machine;
  const at = run.startedAt.slice(0, 16).replace("T", " ");
  const machine = `${processor}, ${cores} cores, ${memoryGiB} GiB, Linux ${kernel}, Node ${node}`;
  return `Measured ${at} UTC at commit \`${commit}\`, ${run.rounds} rounds: ${machine}; everything on loopback, no TLS.`;
}

function readCommit(): string {
  try {
    const options = { cwd: import.meta.dirname, encoding: "utf8" } as const;
    return execFileSync("git", ["describe", "--always", "--dirty", "--abbrev=12"], options).trim();
  } catch {
    // The benchmark also runs in a checkout without Git history.
    return "unknown";
  }
}
