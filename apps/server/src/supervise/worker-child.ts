import { createLogger } from "@tollgate/runtime/logger.ts";
import { startWorker } from "@tollgate/worker/start-worker.ts";
import { loadEnvironment } from "../environment.ts";

/** The worker process of `tollgate serve`: settles what gateways sent and keeps the books in order. */
async function workerChild(): Promise<void> {
  const environment = loadEnvironment(process.env);
  const logger = createLogger("worker", environment.TOLLGATE_LOG_LEVEL);
  const worker = await startWorker({
    connectionString: environment.DATABASE_URL as string,
    natsUrl: environment.NATS_URL ?? null,
    reclaimAfterSeconds: environment.TOLLGATE_LEASE_RECLAIM_AFTER,
    logger,
  });
  let isStopping = false;
  const stop = async (code: number) => {
    if (isStopping) return;
    isStopping = true;
    await worker.stop();
    process.exit(code);
  };
  process.on("SIGTERM", () => void stop(0));
  process.on("message", (message) => void (message === "stop" && stop(0)));
  process.on("SIGINT", () => {});
  process.on("SIGHUP", () => {});
  process.on("disconnect", () => void stop(0));
  const leave = (error: unknown) => {
    logger.error("an unexpected error ends this process", { error });
    void stop(1);
  };
  process.on("uncaughtException", leave);
  process.on("unhandledRejection", leave);
  process.send?.("ready");
}

await workerChild();
