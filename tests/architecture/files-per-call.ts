import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { chatAnswer } from "../../packages/testkit/src/chat-answers.ts";
import { startFakeUpstream } from "../../packages/testkit/src/fake-upstream.ts";
import { type CalledFile, filesOfEveryCall, type ScriptCoverage } from "./called-files.ts";
import { Debugger } from "./debugger.ts";
import { root } from "./read-repository.ts";

const START_LIMIT_MS = 120_000;
/** After these calls, every cache is filled and every connection is open. */
const WARM_UP_CALLS = 20;
const MEASURED_CALLS = 5;
/** The client has the whole response before the gateway has closed the call. */
const CLOSING_MS = 50;
const MODEL = "measured";

/**
 * Returns the repository's own files that one warm, billed JSON chat call runs through, with the functions that it calls
 * there. The program runs as `tollgate dev` with a fake upstream, and V8 counts the calls of each function.
 */
export async function measureFilesPerCall(): Promise<CalledFile[]> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-measure-"));
  const upstream = await startFakeUpstream();
  upstream.replies(200, chatAnswer());
  const program = startProgram(folder, `${upstream.origin}/v1`);
  try {
    const { inspectorUrl, baseUrl, apiKey } = await withLimit(readStart(program));
    const chat = () => callModel(baseUrl, apiKey);
    const inspector = await Debugger.connect(inspectorUrl);
    for (let count = 0; count < WARM_UP_CALLS; count += 1) await chat();
    await inspector.send("Profiler.enable");
    await inspector.send("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    // The first call after the start of coverage compiles every function again.
    await chat();
    const calls: ScriptCoverage[][] = [];
    for (let count = 0; count < MEASURED_CALLS; count += 1) {
      await takeCoverage(inspector);
      await chat();
      await setTimeout(CLOSING_MS);
      calls.push(await takeCoverage(inspector));
    }
    inspector.close();
    return filesOfEveryCall(calls, pathToFileURL(`${root}/`).href);
  } finally {
    await stop(program);
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function startProgram(folder: string, apiBase: string): ChildProcess {
  const config = join(folder, "tollgate.yaml");
  const target = { model: "openai/measured", api_base: apiBase, api_key: "sk-upstream" };
  const prices = { input_cost_per_token: 2.5e-6, output_cost_per_token: 1e-5 };
  // JSON is valid YAML.
  writeFileSync(
    config,
    JSON.stringify({ model_list: [{ model_name: MODEL, litellm_params: { ...target, ...prices } }] }),
  );
  const args = ["dev", "--json", "--port", "0", "--data", join(folder, "data"), "--config", config];
  // Optimized code doesn't count the calls that it inlines.
  const node = ["--no-opt", "--no-maglev", "--inspect=127.0.0.1:0"];
  return spawn(process.execPath, [...node, join(root, "apps/server/src/main.ts"), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TOLLGATE_LOG_LEVEL: "fatal" },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

interface Start {
  readonly inspectorUrl: string;
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Reads the debugger's address from the first line of errors, and the instance's from its first line of output. */
async function readStart({ stdout, stderr }: ChildProcess): Promise<Start> {
  if (stdout === null || stderr === null) throw new Error("the program has no output to read");
  const errors: string[] = [];
  const inspectorUrl = new Promise<string>((resolve) => {
    createInterface(stderr).on("line", (line) => {
      errors.push(line);
      const address = /^Debugger listening on (ws:\S+)$/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
  const lines = createInterface(stdout);
  const ended = once(lines, "close").then(() => Promise.reject(new Error(`it ended early:\n${errors.join("\n")}`)));
  const [line] = (await Promise.race([once(lines, "line"), ended])) as [string];
  ended.catch(() => undefined);
  const { baseUrl, apiKey } = JSON.parse(line) as Start;
  return { inspectorUrl: await inspectorUrl, baseUrl, apiKey };
}

async function callModel(baseUrl: string, apiKey: string): Promise<void> {
  const response = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hello" }], max_tokens: 64 }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the call was answered with ${response.status}: ${text}`);
}

/** Returns the calls since the last time this was asked, and starts again at zero. */
async function takeCoverage(inspector: Debugger): Promise<ScriptCoverage[]> {
  const { result } = await inspector.send<{ result: ScriptCoverage[] }>("Profiler.takePreciseCoverage");
  return result;
}

async function withLimit<Value>(started: Promise<Value>): Promise<Value> {
  const stopped = new AbortController();
  const late = setTimeout(START_LIMIT_MS, null, { signal: stopped.signal }).then(() => {
    throw new Error(`not ready within ${START_LIMIT_MS} ms`);
  });
  return Promise.race([started, late]).finally(() => stopped.abort());
}

async function stop(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const exited = once(program, "exit");
  program.kill("SIGTERM");
  await exited;
}
