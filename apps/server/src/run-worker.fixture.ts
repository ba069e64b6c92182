import { Secret } from "@tollgate/domain/secret.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { startRuns } from "@tollgate/worker/runs/start-runs.ts";
import { openModelCaller } from "./open-model-caller.ts";

/** What seals the records of these tests. */
export const RUN_SECRET = "0123456789abcdef0123456789abcdef";

export interface RunWorkerStart {
  readonly connectionString: string;
  readonly gatewayUrl: string;
  /** Hears of each step of a run as it is reached; whoever keeps it waiting keeps the run there. */
  readonly onPoint?: (point: string) => void | Promise<void>;
}

// Not loaded from a file: these processes are started often, and loading is most of their time.
const settings = { platform: defaultPlatformSettings, general: { allowedHosts: [] } };
const assistants = { mode: "native", upstream: null, slots: 50, retentionDays: null } as const;
const logger = { info: () => {}, warn: () => {}, error: () => {} };

/** A worker that takes up runs and does nothing else. */
export function startRunWorker({ connectionString, gatewayUrl, onPoint }: RunWorkerStart): { stop(): Promise<void> } {
  const secretKeys = [new Secret(RUN_SECRET)];
  const shared = { connectionString, secretKeys };
  const models = openModelCaller({ ...shared, settings: () => settings, gatewayUrl: () => gatewayUrl });
  const runs = startRuns({
    ...shared,
    models,
    settings: () => assistants,
    logger,
    ...(onPoint && { onPoint }),
  });
  return {
    stop: async () => {
      await runs.stop();
      await models.close();
    },
  };
}
