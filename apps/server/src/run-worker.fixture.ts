import { AMPLE_STORAGE } from "@tollgate/domain/assistants/stored-bytes.fixture.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { startRuns } from "@tollgate/worker/runs/start-runs.ts";
import { openModelCaller } from "./open-model-caller.ts";

/** Secret key that encrypts the tests' records. */
export const RUN_SECRET = "0123456789abcdef0123456789abcdef";

interface RunWorkerStart {
  readonly connectionString: string;
  readonly gatewayUrl: string;
  /** Called at each step of a run; the run waits for the returned promise. */
  readonly onPoint?: (point: string) => void | Promise<void>;
}

// Don't load the settings from a file. These processes start often, and loading would take most of their time.
const settings = { platform: defaultPlatformSettings, general: { allowedHosts: [] } };
const assistants = { mode: "native", upstream: null, slots: 50, organizationWeights: {}, retentionDays: null } as const;
const logger = { info: () => {}, warn: () => {}, error: () => {} };

/** Starts a worker that only executes runs. */
export function startRunWorker({ connectionString, gatewayUrl, onPoint }: RunWorkerStart): { stop(): Promise<void> } {
  const secretKeys = [new Secret(RUN_SECRET)];
  const shared = { connectionString, secretKeys };
  const models = openModelCaller({ ...shared, settings: () => settings, gatewayUrl: () => gatewayUrl });
  const runs = startRuns({
    ...shared,
    models,
    settings: () => assistants,
    storageLimits: () => AMPLE_STORAGE,
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
