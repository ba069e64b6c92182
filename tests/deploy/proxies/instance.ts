import { startDev } from "@tollgate/testkit/processes/start-instance.ts";

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
  const dev = await startDev({ folder, settings: settings(upstreamOrigin) });
  return {
    port: Number(new URL(dev.baseUrl).port),
    rootPath: ROOT_PATH,
    key: { "x-gw-api-key": dev.apiKey },
    admin: dev.admin,
    stop: async () => {
      await dev.stop();
    },
  };
}

const settings = (upstreamOrigin: string) => `model_list:
  - model_name: far
    litellm_params: { model: openai_compatible/far, api_base: ${upstreamOrigin}/v1, api_key: none, input_cost_per_token: 0, output_cost_per_token: 0, on_disconnect: abort }
general_settings:
  server_root_path: ${ROOT_PATH}
  trusted_proxies: [127.0.0.1]
  allowed_hosts: [gateway.example.com]
`;
