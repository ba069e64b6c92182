import { spawn } from "node:child_process";
import { join } from "node:path";
import { listProcessTree, signalProcess, undoAtExit } from "@tollgate/testkit/processes/clean-up.ts";
import type { Case, CaseContext, CaseOutcome } from "../case.ts";

const RUN = join(import.meta.dirname, "../../e2e/run.ts");
const SHOWN_LINES = 12;

export const consoleCases: readonly Case[] = [
  {
    name: "console-scripts",
    promise: "No stored text runs as a script, opens a dialog, or sends a request to another host, on any console page",
    guards: "row 17, text is text",
    isQuick: false,
    isAlone: true,
    run: attackConsole,
  },
];

/** Runs the attacks of the browser tests, which have their own instance. */
async function attackConsole(_context: CaseContext): Promise<CaseOutcome> {
  const args = [RUN, "--quick", "--only", "attacks"];
  const { exitCode, output } = await runToEnd(process.execPath, args);
  if (exitCode === 0) return { calls: [] };
  const lines = output.trimEnd().split("\n").slice(-SHOWN_LINES);
  return { calls: [], problems: [`the browser tests ended with ${exitCode}:`, ...lines] };
}

function runToEnd(command: string, args: readonly string[]): Promise<{ exitCode: number | null; output: string }> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const forget = undoAtExit(() => {
    if (child.pid === undefined) return;
    for (const pid of listProcessTree(child.pid).reverse()) signalProcess(pid, "SIGTERM");
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => {
      forget();
      resolve({ exitCode, output });
    });
  });
}
