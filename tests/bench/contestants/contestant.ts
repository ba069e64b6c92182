import { connect } from "node:net";
import type { PinnedProcess } from "../processes/start-pinned.ts";

export interface Ports {
  readonly own: number;
  readonly upstream: number;
}

/** A running program under measurement. */
export interface Contestant {
  readonly name: string;
  readonly version: string;
  /** Base URL for chat completions, without the path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** True if the program maps between the group's name and the upstream's model, in both directions. */
  readonly rewritesModel: boolean;
  /** Calls that warm the program up, if not as many as for a program that V8 compiles while it runs. */
  readonly warmUpCalls?: number;
  /** True if the program may use every core, also those of the load generator and the upstream. */
  readonly isUnpinned?: boolean;
  /** For a gateway with accounts: adds organizations that have made no calls, and returns their keys. */
  readonly addQuietCallers?: (count: number) => Promise<readonly string[]>;
  pids(): number[];
  stop(): Promise<void>;
}

export type StartContestant = (ports: Ports, directory: string) => Promise<Contestant>;

const startTimeoutMs = 30_000;
const askAgainMs = 50;

/**
 * Waits until a port accepts connections. If the program exits or takes too long, throws an error with the program's
 * output.
 */
export async function waitUntilListening(name: string, port: number, program: PinnedProcess): Promise<void> {
  await waitUntilReady(name, program, () => canConnect(port));
}

/** Polls until a program is ready or has failed. */
export async function waitUntilReady(
  name: string,
  program: PinnedProcess,
  isReady: () => Promise<boolean>,
  timeoutMs = startTimeoutMs,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isReady())) {
    if (program.hasEnded()) throw new Error(`${name} ended while starting:\n${program.readLog()}`);
    if (performance.now() > deadline) {
      await program.stop();
      throw new Error(`${name} was not ready within ${timeoutMs} ms:\n${program.readLog()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, askAgainMs));
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const answer = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => answer(true)).once("error", () => answer(false));
  });
}
