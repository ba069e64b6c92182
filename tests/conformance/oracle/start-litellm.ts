import { execFile, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { createLitellmDatabase } from "../../import-litellm/database/litellm-database.ts";
import { describeModels, UPSTREAM_KEY } from "./served-models.ts";

/** A LiteLLM proxy with a database of its own, and without telemetry or access to models that are not configured. */
export interface RunningLitellm {
  readonly baseUrl: string;
  readonly masterKey: string;
  readonly version: string;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 180_000;
const ASK_AGAIN_MS = 250;
const SETUP = join(import.meta.dirname, "../../../scripts/oracle-setup");
const MASTER_KEY = "sk-oracle-master";

/** Installs the pinned LiteLLM if necessary, starts it with this upstream, and resolves when it is ready. */
export async function startLitellm(folder: string, origin: string): Promise<RunningLitellm> {
  const { stdout } = await promisify(execFile)(SETUP);
  const [programs = "", version = ""] = stdout.trim().split(" ");
  const config = join(folder, "litellm.yaml");
  await writeFile(config, JSON.stringify(describeSettings(origin)));
  const database = await createLitellmDatabase(programs);
  const port = await findFreePort();
  const app = ["litellm.proxy.proxy_server:app", "--host", "127.0.0.1", "--port", `${port}`, "--log-level", "warning"];
  const child = spawn(join(programs, "uvicorn"), app, {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: `${programs}:${process.env.PATH}`,
      HOME: folder,
      ...database.variables,
      CONFIG_FILE_PATH: config,
      // LiteLLM must call the scripted upstream even where it ignores the configured URL.
      OPENAI_BASE_URL: `${origin}/v1`,
      OPENAI_API_KEY: UPSTREAM_KEY,
      ANTHROPIC_API_BASE: origin,
      ANTHROPIC_API_KEY: UPSTREAM_KEY,
      GEMINI_API_BASE: `${origin}/v1beta`,
      GEMINI_API_KEY: UPSTREAM_KEY,
      COHERE_API_BASE: origin,
      COHERE_API_KEY: UPSTREAM_KEY,
      // Use the bundled price table instead of downloading the current table.
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
      // Make the order of lists that are built from sets deterministic.
      PYTHONHASHSEED: "0",
      LITELLM_TELEMETRY: "False",
      LITELLM_MODE: "PRODUCTION",
      LITELLM_LOG: "ERROR",
    },
  });
  let said = "";
  for (const output of [child.stdout, child.stderr]) {
    output.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString("utf8")).slice(-8_000);
    });
  }
  const endWithUs = () => child.kill("SIGKILL");
  process.once("exit", endWithUs);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
    process.off("exit", endWithUs);
    await database.drop();
  };
  const baseUrl = `http://127.0.0.1:${port}`;
  try {
    await waitFor("LiteLLM to serve", () => isServing(baseUrl), { limitMs: START_LIMIT_MS });
  } catch (error) {
    await stop();
    throw new Error(`LiteLLM did not become ready.\n${said}`, { cause: error });
  }
  return { baseUrl, masterKey: MASTER_KEY, version, stop };
}

async function isServing(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/health/liveliness`)).ok;
  } catch {
    // LiteLLM takes half a minute to load, and frequent polling would slow it down.
    await pause(ASK_AGAIN_MS);
    return false;
  }
}

function describeSettings(origin: string): object {
  return {
    model_list: describeModels(origin),
    litellm_settings: { telemetry: false, num_retries: 0, request_timeout: 20 },
    router_settings: { num_retries: 0, disable_cooldowns: true },
    assistant_settings: {
      custom_llm_provider: "openai",
      litellm_params: { api_key: UPSTREAM_KEY, api_base: `${origin}/v1` },
    },
    // Write spend every second, so that the questions about it don't wait.
    general_settings: { master_key: MASTER_KEY, store_model_in_db: true, proxy_batch_write_at: 1 },
  };
}
