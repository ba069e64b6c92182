import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import type { Report } from "@tollgate/testkit/report.ts";
import { BOTH_CITIES, SLOWLY } from "../stage/play-conversation.ts";
import type { Stage } from "../stage/start-stage.ts";
import { assistantModels } from "./assistant-models.ts";

const MAKE_ENVIRONMENT = join(import.meta.dirname, "../../../scripts/python");
const PROGRAM = join(import.meta.dirname, "python_assistants.py");

type Line =
  | { readonly kind: "version"; readonly version: string }
  | { readonly kind: "check"; readonly name: string; readonly problem: string | null };

/** Runs the stock Python client's assistant and thread flows. Returns the client's version. */
export async function runPythonAssistants({ tollgate }: Stage, report: Report): Promise<string> {
  const { stdout } = await promisify(execFile)(MAKE_ENVIRONMENT);
  // Hide the client's warning on every call to this API, which OpenAI has retired.
  const python = [stdout.trim(), "-W", "ignore", PROGRAM] as const;
  const child = spawn(python[0], python.slice(1), { stdio: "pipe", env: { PATH: process.env.PATH } });
  const { baseUrl, apiKey } = tollgate;
  child.stdin.end(
    JSON.stringify({ baseUrl, apiKey, models: assistantModels, bothCities: BOTH_CITIES, slowly: SLOWLY }),
  );
  const complaints = text(child.stderr);
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let version = "unknown";
  for await (const written of createInterface(child.stdout)) {
    const line = JSON.parse(written) as Line;
    if (line.kind === "version") version = line.version;
    else report.record("assistants", `python: ${line.name}`, line.problem);
  }
  if ((await exited) !== 0) report.record("assistants", "python: the program runs to its end", await complaints);
  return version;
}
