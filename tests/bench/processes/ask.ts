import type { PinnedProcess } from "./start-pinned.ts";

export type Reply =
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "failed"; readonly reason: string };

/** The benchmark program has ended, so it can't answer this command or a later one. */
export class ProgramEnded extends Error {}

/** Sends one command to a benchmark program and waits for its reply. Only one command can be pending at a time. */
export function ask<Value>(program: PinnedProcess, command: { kind: string }, timeoutMs = 60_000): Promise<Value> {
  return new Promise((resolve, reject) => {
    const describe = (reason: string) => `${command.kind}: ${reason}\n${program.readLog()}`;
    const fail = (reason: string) => finish(() => reject(new Error(describe(reason))));
    const timer = setTimeout(() => fail(`no answer within ${timeoutMs} ms`), timeoutMs);
    const onExit = () => finish(() => reject(new ProgramEnded(describe("the program ended before it answered"))));
    const onMessage = (reply: Reply) => {
      if (reply.kind === "failed") fail(reply.reason);
      else finish(() => resolve(reply.value as Value));
    };
    function finish(settle: () => void) {
      clearTimeout(timer);
      program.child.off("message", onMessage).off("exit", onExit);
      settle();
    }
    if (program.hasEnded()) return onExit();
    program.child.on("message", onMessage).on("exit", onExit);
    program.child.send(command);
  });
}

/** Counterpart of `ask`: handles commands in order, and exits when the parent process exits. */
export function answerCommands<Command>(answer: (command: Command) => unknown): void {
  process.on("message", async (command: Command) => {
    let reply: Reply;
    try {
      reply = { kind: "done", value: await answer(command) };
    } catch (error) {
      reply = { kind: "failed", reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    process.send?.(reply);
  });
  process.on("disconnect", () => process.exit());
}
