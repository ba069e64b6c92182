import { startServe } from "../../packages/testkit/src/processes/start-instance.ts";

const SETTINGS = `model_list: [{ model_name: "sim/*", litellm_params: { model: "sim/*" } }]
assistants: { slots: 50 }
`;

export interface RunningTollgate {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts one gateway process and this many workers with a shared database, as in production. */
export async function startTollgate(databaseUrl: string, workers: number): Promise<RunningTollgate> {
  const options = { databaseUrl, settings: SETTINGS };
  const env = { TOLLGATE_LOG_LEVEL: "warn" };
  const gateway = await startServe({ ...options, roles: "gateway", env });
  const { url } = gateway;
  const instances = [gateway];
  for (let index = 0; index < workers; index += 1)
    instances.push(await startServe({ ...options, roles: "worker", env: { ...env, TOLLGATE_GATEWAY_URL: url } }));
  return {
    url,
    stop: async () => {
      await Promise.all(instances.map((instance) => instance.stop()));
    },
  };
}
