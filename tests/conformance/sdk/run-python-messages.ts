import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import type { Report } from "@tollgate/testkit/report.ts";
import type { Stage } from "../stage/start-stage.ts";
import { families } from "./families.ts";

const MAKE_ENVIRONMENT = join(import.meta.dirname, "../../../scripts/python");
const PROGRAM = join(import.meta.dirname, "python_messages.py");

type Line =
  | { readonly kind: "version"; readonly version: string }
  | { readonly kind: "check"; readonly name: string; readonly problem: string | null };

/** Runs the checks with the stock Anthropic Python client on every kind of upstream. */
export async function runPythonMessages({ tollgate }: Stage, report: Report): Promise<void> {
  const { stdout } = await promisify(execFile)(MAKE_ENVIRONMENT);
  const child = spawn(stdout.trim(), [PROGRAM], { stdio: "pipe", env: { PATH: process.env.PATH } });
  const { baseUrl, apiKey } = tollgate;
  child.stdin.end(JSON.stringify({ baseUrl, apiKey, families }));
  const complaints = text(child.stderr);
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  for await (const written of createInterface(child.stdout)) {
    const line = JSON.parse(written) as Line;
    if (line.kind === "check") report.record("python", `messages over ${line.name}`, line.problem);
  }
  if ((await exited) !== 0) report.record("python", "messages: the program runs to its end", await complaints);
}
