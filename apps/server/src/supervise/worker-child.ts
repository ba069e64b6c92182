import { loadEnvironment, readSecretKeys } from "@tollgate/runtime/environment.ts";
import { loadServeSettings, settingsFiles } from "@tollgate/runtime/settings/load-serve-settings.ts";
import { knownProviders } from "../known-providers.ts";
import { readServingCertificate } from "../tls/serving-certificate.ts";
import { handleSupervisorMessages } from "./handle-supervisor-messages.ts";
import { openWorker } from "./open-worker.ts";
import { stopWorker } from "./stop-worker.ts";
import { readWorkerSettings, readWorkerStart, type WorkerSettings } from "./worker-start.ts";

/** Runs a worker process of `tollgate serve`. */
async function workerChild(): Promise<void> {
  const environment = loadEnvironment(process.env);
  const files = settingsFiles(process.env);
  const load = (): WorkerSettings => {
    const settings = loadServeSettings(files, process.env, knownProviders);
    return readWorkerSettings(settings, readServingCertificate(environment)?.certificate ?? null);
  };
  const read = readSecretKeys(environment);
  const worker = await openWorker(readWorkerStart(environment, read.kind === "keys" ? read.keys : []), load());
  const { logger } = worker;
  const reload = async () => worker.reload(load());
  handleSupervisorMessages({ stop: (code) => stopWorker(worker, code), reload, logger });
}

await workerChild();
