import { constants, setPriority } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { loadEnvironment, readSecretKeys } from "@tollgate/runtime/environment.ts";
import { createLogger } from "@tollgate/runtime/logger.ts";
import { releaseGarbage } from "@tollgate/runtime/release-garbage.ts";
import { loadServeSettings, settingsFiles } from "@tollgate/runtime/settings/load-serve-settings.ts";
import { knownProviders } from "../known-providers.ts";
import { listenForPlatform } from "../listen-for-platform.ts";
import { startPlatform } from "../start-platform.ts";
import { readServingCertificate } from "../tls/serving-certificate.ts";
import { trustAuthorities } from "../tls/trust-authorities.ts";
import { handleSupervisorMessages } from "./handle-supervisor-messages.ts";

/** Maximum time to shut down. After that, the process exits even if work is pending. */
const LEAVE_LIMIT_MS = 20_000;
/** The listening socket inherited from the supervisor. */
const LISTENING_FD = 3;

/**
 * Runs the platform process of `tollgate serve` when gateways run elsewhere. The process exits when its supervisor
 * exits.
 */
async function platformChild(): Promise<void> {
  // Lower the priority, because gateway calls on the same machine take precedence over pages.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const environment = loadEnvironment(process.env);
  const logger = createLogger("platform", environment.TOLLGATE_LOG_LEVEL);
  const files = settingsFiles(process.env);
  const settings = loadServeSettings(files, process.env, knownProviders);
  trustAuthorities(environment.TOLLGATE_CA_FILE);
  let certificate = readServingCertificate(environment);
  if (certificate?.warning) logger.warn(certificate.warning);
  const secretKeys = readSecretKeys(environment);
  if (secretKeys.kind === "problem") throw new Error(secretKeys.text);
  const platform = await startPlatform({
    settings,
    connectionString: environment.DATABASE_URL as string,
    redisUrl: environment.REDIS_URL ?? settings.router.redisUrl?.reveal() ?? null,
    secretKeys: secretKeys.keys,
    gatewayUrl: () => environment.TOLLGATE_GATEWAY_URL ?? null,
    gatewayCertificate: () => certificate?.certificate ?? null,
    ...(environment.TOLLGATE_CONSOLE_DIR !== undefined && { consoleFolder: environment.TOLLGATE_CONSOLE_DIR }),
    followsCatalog: true,
    logger,
  });
  const listening = { settings, target: { fd: LISTENING_FD }, certificate, logger };
  releaseGarbage();
  const server = await listenForPlatform(platform, listening);

  handleSupervisorMessages({
    stop: async (code) => {
      const drainMs = environment.TOLLGATE_DRAIN_TIMEOUT * 1_000;
      const latestMs = performance.now() + drainMs;
      setTimeout(() => process.exit(code || 1), LEAVE_LIMIT_MS + (code === 0 ? drainMs : 0)).unref();
      platform.announceLeaving();
      server.announceLeaving();
      if (code === 0 && process.connected) await pause(environment.TOLLGATE_DRAIN_GRACE * 1_000);
      platform.refuseNew();
      await server.stop(Math.max(0, latestMs - performance.now()));
      await platform.stop();
      process.exit(code);
    },
    reload: async () => {
      const next = loadServeSettings(files, process.env, knownProviders);
      const renewed = readServingCertificate(environment);
      await platform.reload(next);
      server.reload(next, renewed);
      certificate = renewed;
    },
    logger,
  });
}

await platformChild();
