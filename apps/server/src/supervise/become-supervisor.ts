import { flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import type { ChildRole } from "./supervisor.ts";

/** Everything that a supervisor needs to know, apart from its children's environment. Contains no secrets. */
export interface SupervisorPlan {
  readonly children: readonly ChildRole[];
  /** Address of the shared socket; null if no child serves HTTP. */
  readonly address: { readonly host: string; readonly port: number } | null;
  readonly speaksTls: boolean;
  readonly hasPlatform: boolean;
  /** True if the ready line is JSON. */
  readonly isJson: boolean;
  readonly logLevel: string;
}

/**
 * Replaces this program with a supervisor in the same process. Validating the settings and preparing the database need
 * most of the program's modules, which a supervisor would keep in memory for as long as it runs: 131 MiB instead of 51.
 */
export function becomeSupervisor(plan: SupervisorPlan, env: NodeJS.ProcessEnv): never {
  // A program that is replaced doesn't exit, and the cache is otherwise written at the exit.
  flushCompileCache();
  const program = fileURLToPath(new URL("./run-supervisor.ts", import.meta.url));
  process.execve?.(process.execPath, [process.execPath, program, JSON.stringify(plan)], env);
  throw new Error("This system cannot replace a process with another program (execve).");
}
