import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { startDev } from "@tollgate/testkit/processes/start-instance.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import type { CodingAgent } from "./coding-agent.ts";
import { installAgent } from "./install-agent.ts";
import { LAST_WORDS, playTask } from "./play-task.ts";

const TOLLGATE = join(import.meta.dirname, "../../../bin/tollgate");
const AGENT_LIMIT_MS = 120_000;
const CONTENT = "written through the gate\n";

const agents: readonly CodingAgent[] = [claude, codex];

/** Runs unmodified coding agents through a gateway with a scripted model until they complete a task. */
const names = process.argv.slice(2);
const chosen = agents.filter(({ name }) => names.length === 0 || names.includes(name));
let failed = 0;
for (const agent of chosen) {
  const programs = await installAgent(agent);
  if (programs === null) {
    process.stdout.write(`  - ${agent.name} skipped\n`);
    continue;
  }
  try {
    await completeTask(agent, programs);
    process.stdout.write(`  ✓ ${agent.name} ${agent.version} wrote a file\n`);
  } catch (error) {
    failed += 1;
    process.stdout.write(`  ✗ ${agent.name} ${agent.version}: ${error instanceof Error ? error.message : error}\n`);
  }
}
process.exitCode = failed === 0 ? 0 : 1;

async function completeTask(agent: CodingAgent, programs: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-agent-"));
  const upstream = await startFakeUpstream();
  try {
    const workplace = join(folder, "work");
    const home = join(folder, "home");
    await mkdir(workplace);
    await mkdir(home);
    const file = join(workplace, "gate.txt");
    upstream.behaves(playTask(agent, file, CONTENT));
    const settings = describeModel(upstream.origin);
    const tollgate = await startDev({ folder, settings, env: { TOLLGATE_LOG_LEVEL: "warn" } });
    try {
      const variables = { HOME: home, TOLLGATE_BASE_URL: tollgate.baseUrl, TOLLGATE_API_KEY: tollgate.apiKey };
      const said = await runAgent(agent, programs, workplace, variables);
      assert.ok(said.includes(LAST_WORDS), said);
      assert.equal(await readFile(file, "utf8"), CONTENT);
      assert.ok(upstream.requests.length >= 2, "the model received the tool result");
    } finally {
      await tollgate.stop();
    }
  } finally {
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the agent with `tollgate run`, as a user would, and returns its output. */
async function runAgent(
  agent: CodingAgent,
  programs: string,
  workplace: string,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const args = ["run", agent.name, "-m", "coder", "--", ...agent.args("Write the file gate.txt.")];
  const child = spawn(TOLLGATE, args, {
    cwd: workplace,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: `${programs}:${process.env.PATH}`, ...variables, ...agent.variables },
    timeout: AGENT_LIMIT_MS,
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [said, complained, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  assert.equal(code, 0, `it ended with ${code}: ${said}${complained}`);
  return said;
}

function describeModel(origin: string): string {
  const prices = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
  const target = { model: "openai_compatible/coder", api_base: `${origin}/v1`, api_key: "scripted", ...prices };
  return JSON.stringify({ model_list: [{ model_name: "coder", litellm_params: target }] });
}
