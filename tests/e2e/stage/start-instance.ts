import { PlatformClient } from "@tollgate/sdk/platform";
import { type DevOptions, startDev } from "@tollgate/testkit/processes/start-instance.ts";

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
  /** Folder of the database and the journal. */
  readonly dataDir: string;
  signIn(person: Person): Promise<PlatformClient>;
  /** Returns the log of the instance. */
  readLog(): string;
  stop(): Promise<void>;
}

/** Starts an instance that serves the console from `consoleFolder`. */
export async function startInstance(
  consoleFolder: string,
  rootPath: string,
  options: Pick<DevOptions, "isDemo" | "settings"> = {},
): Promise<Instance> {
  const env = { TOLLGATE_CONSOLE_DIR: consoleFolder };
  const dev = await startDev({ settings: settings(rootPath), ...options, env });
  const { baseUrl, uiUrl, admin, apiKey, dataDir } = dev;
  const url = `${baseUrl}${rootPath}`;
  return {
    rootPath,
    url,
    uiUrl,
    admin,
    apiKey,
    dataDir,
    signIn: async (person) => {
      const { token } = await new PlatformClient({ platformUrl: url }).call("createToken", { body: person });
      return new PlatformClient({ platformUrl: url, token });
    },
    readLog: () => dev.readLog(),
    stop: async () => {
      await dev.stop();
    },
  };
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
