import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { loadEnvironment, readSecretKeys } from "@tollgate/runtime/environment.ts";
import { createLogger } from "@tollgate/runtime/logger.ts";
import { readProxies } from "@tollgate/runtime/outbound-proxy.ts";
import { releaseGarbage } from "@tollgate/runtime/release-garbage.ts";
import { loadServeSettings, settingsFiles } from "@tollgate/runtime/settings/load-serve-settings.ts";
import { knownProviders } from "../known-providers.ts";
import { localUrl } from "../local-url.ts";
import { startGateway } from "../start-gateway.ts";
import { startPlatform } from "../start-platform.ts";
import { readServingCertificate } from "../tls/serving-certificate.ts";
import { trustAuthorities } from "../tls/trust-authorities.ts";
import { reloadOnSighup } from "./handle-supervisor-messages.ts";
import { PeerMetrics } from "./peer-metrics.ts";
import { readWorkerSettings, readWorkerStart } from "./worker-start.ts";
import { WORKER_STOP_LIMIT_MS, WorkerThread } from "./worker-thread.ts";

/** Maximum time to shut down. After that, the process exits even if work is pending. */
const LEAVE_LIMIT_MS = 20_000;
/** Time to drain calls and the worker after an unexpected error. New calls wait for it, because this process is broken. */
const CRASH_DRAIN_MS = 5_000;
/** The listening socket inherited from the supervisor. */
const LISTENING_FD = 3;

/**
 * Runs one gateway process of `tollgate serve`, and the platform and the worker if this process hosts them. The process
 * exits when its supervisor exits.
 */
async function serveChild(): Promise<void> {
  const environment = loadEnvironment(process.env);
  const logger = createLogger(`gateway-${environment.TOLLGATE_CHILD_INDEX}`, environment.TOLLGATE_LOG_LEVEL);
  const files = settingsFiles(process.env);
  // All processes read the same files, so only one process logs the warnings.
  const tell = (warning: string) => void (environment.TOLLGATE_CHILD_INDEX === 0 && logger.warn(warning));
  const settings = loadServeSettings(files, process.env, knownProviders, tell);
  trustAuthorities(environment.TOLLGATE_CA_FILE);
  let certificate = readServingCertificate(environment);
  if (certificate?.warning) tell(certificate.warning);
  let isLeaving = false;
  // After an unexpected error, stop accepting calls, drain running calls, and exit, because a new process is safer.
  const leave = (error: unknown) => {
    logger.error("exiting after an unexpected error", { error });
    if (isLeaving) return;
    isLeaving = true;
    setTimeout(() => process.exit(1), LEAVE_LIMIT_MS).unref();
    const stopped = [gateway.stop(CRASH_DRAIN_MS, process.connected), worker?.stop(CRASH_DRAIN_MS)];
    void Promise.allSettled(stopped).then(() => process.exit(1));
  };
  const read = readSecretKeys(environment);
  const secretKeys = read.kind === "keys" ? read.keys : [];
  const connectionString = environment.DATABASE_URL as string;
  const redisUrl = environment.REDIS_URL ?? settings.router.redisUrl?.reveal() ?? null;
  const platform = environment.TOLLGATE_HOSTS_PLATFORM
    ? await startPlatform({
        settings,
        connectionString,
        redisUrl,
        secretKeys,
        gatewayUrl: () =>
          environment.TOLLGATE_GATEWAY_URL ?? localUrl(environment.HOST, gateway.port, certificate !== null),
        gatewayCertificate: () => certificate?.certificate ?? null,
        ...(environment.TOLLGATE_CONSOLE_DIR !== undefined && { consoleFolder: environment.TOLLGATE_CONSOLE_DIR }),
        logger,
      })
    : null;
  const peers = new PeerMetrics(() => gateway.writeMetrics());
  const gateway = await startGateway({
    settings,
    connectionString,
    target: { fd: LISTENING_FD },
    secretKeys,
    certificate,
    chooseProxy: readProxies(process.env),
    mounted: platform?.mounted ?? null,
    journalRoot: resolve(environment.TOLLGATE_JOURNAL_DIR),
    index: environment.TOLLGATE_CHILD_INDEX,
    processes: environment.TOLLGATE_PROCESSES,
    redisUrl,
    natsUrl: environment.NATS_URL ?? null,
    recorder: null,
    peerMetrics: () => peers.gather(),
    logger,
    onJournalFailed: () => leave(new Error("the journal failed")),
    onExhausted: () => leave(new Error("memory is nearly full")),
    onLeaving: () => void process.send?.("leaving"),
    onLoaded: releaseGarbage,
  });

  // The worker starts last, because calls may already be waiting for this process.
  const worker = environment.TOLLGATE_HOSTS_WORKER
    ? new WorkerThread({
        start: readWorkerStart(environment, secretKeys),
        settings: readWorkerSettings(settings, certificate?.certificate ?? null),
        logger,
      })
    : null;

  let isStopping = false;
  /** Time at which load balancers could first see that this process is shutting down. */
  let leavingSinceMs: number | null = null;
  const announceLeaving = () => {
    leavingSinceMs ??= performance.now();
    gateway.announceLeaving();
    platform?.announceLeaving();
    return leavingSinceMs;
  };
  const stop = async (othersListen: boolean) => {
    if (isStopping) return;
    isStopping = true;
    const drainMs = environment.TOLLGATE_DRAIN_TIMEOUT * 1_000;
    const latestMs = performance.now() + drainMs;
    // At this point, all usage is in the journal, and the next process delivers it to the ledger.
    setTimeout(() => process.exit(1), Math.max(drainMs + LEAVE_LIMIT_MS, WORKER_STOP_LIMIT_MS)).unref();
    // The worker may be the only one that settles the usage of these calls from the event log, so it stops after them.
    worker?.stopJobs();
    const noticedAtMs = announceLeaving() + environment.TOLLGATE_DRAIN_GRACE * 1_000;
    // If no other process is listening, keep accepting calls until load balancers notice that this instance is shutting
    // down.
    if (process.connected && !othersListen) await pause(Math.max(0, noticedAtMs - performance.now()));
    if (!othersListen) platform?.refuseNew();
    await gateway.stop(Math.max(0, latestMs - performance.now()), othersListen);
    await platform?.stop();
    await worker?.stop();
    process.exit(0);
  };
  // A signal stops only this process, and the supervisor starts a new one. To stop all processes, the supervisor sends
  // a message.
  process.on("SIGTERM", () => void stop(process.connected));
  process.on("message", (message) => {
    if (message === "stop") void stop(false);
    if (message === "leaving") announceLeaving();
  });
  peers.listen();
  process.on("SIGINT", () => {});
  process.on("SIGUSR2", announceLeaving);
  process.on("disconnect", () => void stop(false));
  reloadOnSighup(async () => {
    const next = loadServeSettings(files, process.env, knownProviders, tell);
    const renewed = readServingCertificate(environment);
    await gateway.reload(next);
    if (renewed !== null) gateway.renewCertificate(renewed);
    certificate = renewed;
    await platform?.reload(next);
    worker?.reload(readWorkerSettings(next, certificate?.certificate ?? null));
  }, logger);
  process.on("uncaughtException", leave);
  process.on("unhandledRejection", leave);
  await worker?.started;
  // If the supervisor has exited meanwhile, a message to it would be an unexpected error, which cuts the drain short.
  if (!isStopping) process.send?.("ready");
}

await serveChild();
