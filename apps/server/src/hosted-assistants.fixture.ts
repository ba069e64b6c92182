import { Secret } from "@tollgate/domain/secret.ts";
import { testSettings } from "@tollgate/gateway/test-gateway.fixture.ts";
import { storageLimitsOf } from "@tollgate/runtime/settings/storage-limits.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { startWorker, type Worker } from "@tollgate/worker/start-worker.ts";
import { test as hostedPlatform, SECRET_KEY } from "./hosted-platform.fixture.ts";
import { openModelCaller } from "./open-model-caller.ts";

const logger = { info: () => {}, warn: () => {}, error: () => {} };

/** Starts a worker that executes runs and calls models through the gateway, as in `dev` and `serve`. */
function startRunWorker(database: TestDatabase, gatewayUrl: string): Pick<Worker, "stop"> {
  const settings = testSettings("");
  const secretKeys = [new Secret(SECRET_KEY)];
  const { connectionString } = database;
  const models = openModelCaller({
    settings: () => settings,
    connectionString,
    secretKeys,
    gatewayUrl: () => gatewayUrl,
  });
  const worker = startWorker({
    connectionString,
    natsUrl: null,
    platform: { settings: () => settings.platform, secretKeys },
    assistants: {
      settings: () => settings.assistants,
      storageLimits: () => storageLimitsOf(settings),
      secretKeys,
      models,
    },
    logger,
  });
  return {
    stop: async () => {
      await worker.stop();
      await models.close();
    },
  };
}

/** A test function with the platform, a gateway, and a worker, which all tests in a file share. */
export const test = hostedPlatform.extend(
  "runWorker",
  { scope: "file" },
  async ({ database, hosted }, { onCleanup }) => {
    const worker = startRunWorker(database, hosted.url);
    onCleanup(() => worker.stop());
    return worker;
  },
);
