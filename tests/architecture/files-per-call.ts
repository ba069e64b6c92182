import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { chatAnswer } from "../../packages/testkit/src/chat-answers.ts";
import { startFakeUpstream } from "../../packages/testkit/src/fake-upstream.ts";
import { type DevInstance, startDev } from "../../packages/testkit/src/processes/start-instance.ts";
import { type CalledFile, filesOfEveryCall, type ScriptCoverage } from "./called-files.ts";
import { Debugger } from "./debugger.ts";
import { root } from "./read-repository.ts";

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
  const upstream = await startFakeUpstream();
  upstream.replies(200, chatAnswer());
  const program = await startProgram(`${upstream.origin}/v1`);
  try {
    const chat = () => callModel(program.baseUrl, program.apiKey);
    const inspector = await Debugger.connect(readInspectorUrl(program.readLog()));
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
    await program.stop();
    await upstream.close();
  }
}

function startProgram(apiBase: string): Promise<DevInstance> {
  const target = { model: "openai/measured", api_base: apiBase, api_key: "sk-upstream" };
  const prices = { input_cost_per_token: 2.5e-6, output_cost_per_token: 1e-5 };
  // Optimized code doesn't count the calls that it inlines.
  const node = ["--no-opt", "--no-maglev", "--inspect=127.0.0.1:0"];
  return startDev({
    command: [process.execPath, ...node, join(root, "apps/server/src/main.ts")],
    // JSON is valid YAML.
    settings: JSON.stringify({ model_list: [{ model_name: MODEL, litellm_params: { ...target, ...prices } }] }),
    env: { TOLLGATE_LOG_LEVEL: "fatal" },
  });
}

/** Returns the debugger's address, which Node.js prints when it starts. */
function readInspectorUrl(log: string): string {
  const address = /^Debugger listening on (ws:\S+)$/m.exec(log)?.[1];
  if (address === undefined) throw new Error(`no debugger is listening:\n${log}`);
  return address;
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
