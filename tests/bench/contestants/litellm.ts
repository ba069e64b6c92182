import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cores } from "../processes/cores.ts";
import { startPinned } from "../processes/start-pinned.ts";
import { groupModel, heldSuffix, upstreamModel } from "../wire/chat-request.ts";
import { type StartContestant, waitUntilReady } from "./contestant.ts";

const setup = join(import.meta.dirname, "../../../scripts/oracle-setup");
const masterKey = "sk-bench-master";
/** Python doesn't compile while it runs, and 25,000 streams would take a quarter of an hour. */
const warmUpCalls = 500;
/** On a shared core, LiteLLM takes a long time to load before it starts listening. */
const startTimeoutMs = 180_000;

/**
 * Starts LiteLLM's proxy as its production guide recommends: one worker for its one core, error logs only, no verbose
 * output. Without a database, the proxy checks the key but records no spend.
 */
export const startLitellm: StartContestant = async (ports, directory) => {
  const [programs = "", version = ""] = execFileSync(setup, { encoding: "utf8" }).trim().split(" ");
  const home = join(directory, `litellm-${ports.own}`);
  mkdirSync(home);
  const config = join(home, "config.yaml");
  writeFileSync(config, writeSettings(ports.upstream));
  const program = startPinned({
    name: `litellm-${ports.own}`,
    core: cores.contestant,
    command: join(programs, "litellm"),
    args: ["--config", config, "--host", "127.0.0.1", "--port", String(ports.own), "--num_workers", "1"],
    directory: home,
    env: {
      PATH: `${programs}:${process.env.PATH}`,
      HOME: home,
      LITELLM_LOG: "ERROR",
      LITELLM_MODE: "PRODUCTION",
      LITELLM_TELEMETRY: "False",
      // Use the bundled price table, so that nothing is fetched during the measurement.
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
    },
  });
  const url = `http://127.0.0.1:${ports.own}`;
  await waitUntilReady("litellm", program, () => isServing(url), startTimeoutMs);
  return {
    name: "litellm",
    version,
    url,
    headers: { authorization: `Bearer ${masterKey}` },
    rewritesModel: true,
    warmUpCalls,
    pids: program.pids,
    stop: program.stop,
  };
};

async function isServing(url: string): Promise<boolean> {
  try {
    return (await fetch(new URL("/health/liveliness", url))).ok;
  } catch {
    return false;
  }
}

function writeSettings(upstreamPort: number): string {
  const models = ["", heldSuffix].map((suffix) => ({
    model_name: groupModel + suffix,
    litellm_params: {
      model: `openai/${upstreamModel}${suffix}`,
      api_base: `http://127.0.0.1:${upstreamPort}/v1`,
      api_key: "sk-upstream",
    },
  }));
  // JSON is valid YAML.
  return JSON.stringify({
    model_list: models,
    general_settings: { master_key: masterKey },
    litellm_settings: { set_verbose: false, json_logs: true, telemetry: false, num_retries: 0, request_timeout: 600 },
  });
}
