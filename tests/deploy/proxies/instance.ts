import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../paths.ts";

/** A running `tollgate dev` with one model, which a fake upstream serves. */
export interface Instance {
  readonly port: number;
  readonly rootPath: string;
  /** Authorization header with a working key. */
  readonly key: Readonly<Record<string, string>>;
  readonly admin: { readonly email: string; readonly password: string };
  stop(): Promise<void>;
}

const ROOT_PATH = "/x/y";

export async function startInstance(folder: string, upstreamOrigin: string): Promise<Instance> {
  const config = join(folder, "tollgate.yaml");
  writeFileSync(
    config,
    `model_list:
  - model_name: far
    litellm_params: { model: openai_compatible/far, api_base: ${upstreamOrigin}/v1, api_key: none, input_cost_per_token: 0, output_cost_per_token: 0, on_disconnect: abort }
general_settings:
  server_root_path: ${ROOT_PATH}
  trusted_proxies: [127.0.0.1]
  allowed_hosts: [gateway.example.com]
`,
  );
  const args = ["dev", "--json", "--port", "0", "--data", join(folder, "data"), "--config", config];
  const child = spawn(`${root}/bin/tollgate`, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) {
    const { baseUrl, apiKey, admin } = JSON.parse(line) as {
      baseUrl: string;
      apiKey: string;
      admin: Instance["admin"];
    };
    return {
      port: Number(new URL(baseUrl).port),
      rootPath: ROOT_PATH,
      key: { "x-gw-api-key": apiKey },
      admin,
      stop: async () => {
        child.kill("SIGTERM");
        await ended;
      },
    };
  }
  throw new Error("tollgate dev ended without an address");
}
