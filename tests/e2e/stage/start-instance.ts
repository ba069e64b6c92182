import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PlatformClient } from "@tollgate/sdk/platform";

const PROGRAM = join(import.meta.dirname, "../../../bin/tollgate");
const START_LIMIT_MS = 90_000;

export interface Person {
  readonly email: string;
  readonly password: string;
}

/** A separate `tollgate dev` instance with only its initial data. */
export interface Instance {
  /** Root path, for example `/x/y`, or "" for the root. */
  readonly rootPath: string;
  /** API URL, including the root path. */
  readonly url: string;
  /** Console URL, without a trailing slash. */
  readonly uiUrl: string;
  readonly admin: Person;
  readonly apiKey: string;
  signIn(person: Person): Promise<PlatformClient>;
  stop(): Promise<void>;
}

/** Starts an instance that serves the console from `consoleFolder` and stores its data under `folder`. */
export async function startInstance(folder: string, consoleFolder: string, rootPath: string): Promise<Instance> {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "tollgate.yaml");
  writeFileSync(config, settings(rootPath));
  const args = ["dev", "--json", "--port", "0", "--data", join(folder, "data"), "--config", config];
  const child = spawn(PROGRAM, args, {
    cwd: folder,
    // Pass no other environment variables to the program under test.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TOLLGATE_CONSOLE_DIR: consoleFolder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = () => child.kill("SIGTERM");
  process.once("exit", kill);
  const line = await readLine(child.stdout);
  const { baseUrl, uiUrl, admin, apiKey } = JSON.parse(line) as StartLine;
  const url = `${baseUrl}${rootPath}`;
  return {
    rootPath,
    url,
    uiUrl,
    admin,
    apiKey,
    signIn: async (person) => {
      const { token } = await new PlatformClient({ platformUrl: url }).call("createToken", { body: person });
      return new PlatformClient({ platformUrl: url, token });
    },
    stop: async () => {
      process.off("exit", kill);
      if (child.exitCode !== null) return;
      const exited = once(child, "exit");
      kill();
      await exited;
    },
  };
}

interface StartLine {
  readonly baseUrl: string;
  readonly uiUrl: string;
  readonly admin: Person;
  readonly apiKey: string;
}

/**
 * Adds two model groups to the free simulated groups: one with two deployments and a price, and one without a price.
 */
function settings(rootPath: string): string {
  const place = rootPath === "" ? "" : `general_settings: { server_root_path: ${rootPath} }\n`;
  return `${place}model_list:
  - model_name: support-chat
    litellm_params: { model: sim/echo, weight: 3, input_cost_per_token: 0.0000025, output_cost_per_token: 0.00001 }
  - model_name: support-chat
    litellm_params: { model: sim/lorem, weight: 1, input_cost_per_token: 0.0000025, output_cost_per_token: 0.00001 }
  - model_name: unpriced-chat
    litellm_params: { model: openai/house-model, api_base: "http://127.0.0.1:9/v1", api_key: sk-none }
router_settings: { fallbacks: [{ support-chat: ["sim/echo"] }] }
`;
}

async function readLine(stdout: NodeJS.ReadableStream): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  const timer = setTimeout(() => reject(new Error(`no instance after ${START_LIMIT_MS} ms`)), START_LIMIT_MS);
  stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
    const end = text.indexOf("\n");
    if (end !== -1) resolve(text.slice(0, end));
  });
  stdout.once("end", () => reject(new Error("the instance ended before it was ready")));
  return promise.finally(() => clearTimeout(timer));
}
