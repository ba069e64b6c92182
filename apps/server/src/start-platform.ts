import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { listenForNotices } from "@tollgate/db/change-notifications.ts";
import { connect, type Database } from "@tollgate/db/connect.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import { servedModels } from "@tollgate/gateway/adapters/served-models.ts";
import { createCatalogFollower } from "@tollgate/gateway/adapters/server-catalog.ts";
import type { MountedHandler } from "@tollgate/gateway/http/mounted-handler.ts";
import { createPasswordHasher } from "@tollgate/platform/adapters/argon2-hasher.ts";
import { chooseBilling } from "@tollgate/platform/adapters/choose-billing.ts";
import { connectCounters } from "@tollgate/platform/adapters/connect-counters.ts";
import { createDatabaseSigningKeys } from "@tollgate/platform/adapters/database-signing-keys.ts";
import { createGatewayCaller } from "@tollgate/platform/adapters/http-gateway-caller.ts";
import { createGatewayMonitor } from "@tollgate/platform/adapters/http-gateway-monitor.ts";
import { createTokenIssuer } from "@tollgate/platform/adapters/jose-token-issuer.ts";
import { readConsoleBundle } from "@tollgate/platform/adapters/read-console-bundle.ts";
import { readVerifiedFolder } from "@tollgate/platform/adapters/read-verified-folder.ts";
import { createTrainingSource } from "@tollgate/platform/adapters/training-runs/create-training-source.ts";
import { createPlatform } from "@tollgate/platform/app.ts";
import { createModelSource } from "@tollgate/platform/catalog/create-model-source.ts";
import { docsUrlOn } from "@tollgate/platform/choose-base-url.ts";
import { createDeploymentSource } from "@tollgate/platform/deployments/create-deployment-source.ts";
import { refuseBusy, refuseLeaving } from "@tollgate/platform/http/answer-failure.ts";
import { createThrottle } from "@tollgate/platform/http/create-throttle.ts";
import type { Throttle } from "@tollgate/platform/http/throttle.ts";
import { createHubSource } from "@tollgate/platform/hub/create-hub-source.ts";
import { createHub } from "@tollgate/platform/hub/hub.ts";
import { makeSetupToken } from "@tollgate/platform/identity/setup-token.ts";
import type { ConsoleFacts } from "@tollgate/platform/pages/console-config.ts";
import type { OneTimeLinks } from "@tollgate/platform/pages/one-time-link.ts";
import { BROWSER_PATHS, createPages, PAGE_PREFIXES, REFERENCE_PATHS } from "@tollgate/platform/pages/pages.ts";
import type { VerifiedFiles } from "@tollgate/platform/pages/verified-files.ts";
import type { Services } from "@tollgate/platform/services.ts";
import { createCallTail } from "@tollgate/platform/usage/call-tail.ts";
import { SearchTurns } from "@tollgate/platform/usage/search-turns.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import { processClock } from "@tollgate/runtime/process-clock.ts";
import { resolveHost } from "@tollgate/runtime/resolve-host.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import { assistantLimitsOf } from "@tollgate/runtime/settings/assistant-limits.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";

export interface PlatformStart {
  readonly settings: Settings;
  readonly connectionString: string;
  readonly redisUrl: string | null;
  /** Secret keys. The first key encrypts and decrypts; all other keys only decrypt. */
  readonly secretKeys: readonly Secret[];
  /** Returns the URL of one of this instance's gateways; null if not configured. Called for each request. */
  readonly gatewayUrl: () => string | null;
  /** Returns the gateways' TLS certificate; omitted if they don't use TLS. */
  readonly gatewayCertificate?: () => string | null;
  /** Folder with the built console. Omitted for the default folder. */
  readonly consoleFolder?: string;
  /** Folder with the built documentation. Omitted for the default folder. */
  readonly docsFolder?: string;
  /** Set in development mode. The banner shows links, which are null if there is no user to sign in. */
  readonly development?: { readonly oneTimeLinks: OneTimeLinks | null };
  /** True if no gateway of this process keeps the catalog up to date. */
  readonly followsCatalog?: boolean;
  readonly logger: Logger;
}

export interface RunningPlatform {
  /** Handler for `/api` and the pages, to mount on a server. */
  readonly mounted: MountedHandler;
  reload(settings: Settings): Promise<void>;
  /** Makes the readiness check fail from now on, but keeps responding. */
  announceLeaving(): void;
  /** Refuses new requests from now on. */
  refuseNew(): void;
  /** Closes all resources. Call it when no requests are running. */
  stop(): Promise<void>;
}

const CONSOLE_FOLDER = join(import.meta.dirname, "../../ui/dist");
const DOCS_FOLDER = join(import.meta.dirname, "../../docs/dist");
const POOL_SIZE = 6;
/** Reports on months of usage use separate connections, so that quick queries never wait for reports. */
const REPORT_POOL_SIZE = 2;
const STATEMENT_LIMIT_MS = 5_000;

/** Connects the control plane to its database and external services. Doesn't open a listener itself. */
export async function startPlatform(start: PlatformStart): Promise<RunningPlatform> {
  const { logger } = start;
  let { settings } = start;
  let billing = await chooseBilling(settings.platform);
  let isLeaving = false;
  let refusesNew = false;
  const db = connectAs(start.connectionString, POOL_SIZE, "tollgate platform");
  const reportDb = connectAs(start.connectionString, REPORT_POOL_SIZE, "tollgate reports");
  const redis = start.redisUrl === null ? null : connectCounters(start.redisUrl, randomUUID());
  const secrets = createSecretBox(start.secretKeys);
  const now = () => new Date();
  const { monotonicMs } = processClock;
  const throttleFor = ({ platform }: Settings) => createThrottle(platform.limits, redis?.counters ?? null, monotonicMs);
  const keys = createDatabaseSigningKeys(db, secrets, monotonicMs);
  const tokens = createTokenIssuer(keys, () => settings.platform.auth.tokenTtlSeconds, now);
  let throttle = throttleFor(settings);
  const gatewayAddress = () => ({
    url: start.gatewayUrl() ?? noGateway(),
    host: settings.general.allowedHosts[0] ?? null,
    certificate: start.gatewayCertificate?.() ?? null,
  });
  const callTail = createCallTail({
    db,
    onAway: (error) => logger.warn("could not read new requests for log streams", { error }),
  });
  const services: Services = {
    db,
    reportDb,
    settings: () => settings.platform,
    now,
    passwords: createPasswordHasher(),
    tokens,
    secrets,
    get billing() {
      return billing;
    },
    models: createModelSource(servedModels, () => settings),
    hub: createHub({ source: createHubSource(servedModels, () => settings), db, reportDb, now }),
    deployments: createDeploymentSource(servedModels, () => settings, now),
    monitor: createGatewayMonitor({
      address: () => (start.gatewayUrl() === null ? null : gatewayAddress()),
      issuePass: () => tokens.issueInternal({ audience: "gateway", keyId: "platform", purpose: "platform.health" }),
      now: monotonicMs,
      onAway: (error) => logger.warn("could not get the status of any gateway", { error }),
    }),
    assistantLimits: () => assistantLimitsOf(settings),
    shownSettings: () => settings.shown,
    training: createTrainingSource(() => runsDirOf(settings)),
    gateway: createGatewayCaller(gatewayAddress, (keyId, purpose) =>
      tokens.issueInternal({ audience: "gateway", keyId, purpose }),
    ),
    callTail,
    searchTurns: new SearchTurns(),
    resolveHost,
    logger,
  };
  const catalog = start.followsCatalog === true ? followCatalog(start, db, () => settings) : null;
  const current: Throttle = { take: (rate, who) => throttle.take(rate, who) };
  const handle = await createPlatform(services, current);
  const consoleFolder = start.consoleFolder ?? CONSOLE_FOLDER;
  let bundle = await readConsoleBundle(consoleFolder);
  let docs: Promise<VerifiedFiles> | null = null;
  const readDocs = (): Promise<VerifiedFiles> => {
    docs ??= readVerifiedFolder(start.docsFolder ?? DOCS_FOLDER, "documentation");
    return docs;
  };
  const [secretKey] = start.secretKeys;
  const setupTokens = secretKey === undefined ? [] : [makeSetupToken(secretKey)];
  const showPage = createPages({
    services,
    throttle: current,
    bundle: () => bundle,
    docs: readDocs,
    facts: () => describeConsole(settings, start.development !== undefined),
    setupSecrets: () => [...setupTokens, ...(settings.general.masterKey === null ? [] : [settings.general.masterKey])],
    oneTimeLinks: start.development?.oneTimeLinks ?? null,
  });
  const docsUrlFor = ({ headers }: IncomingMessage) => docsUrlOn(headers.host, settings.platform);
  return {
    mounted: {
      prefixes: ["/api", ...PAGE_PREFIXES],
      except: REFERENCE_PATHS,
      browserPaths: BROWSER_PATHS,
      handle: (request, response) => {
        if (!isManagement(request.url)) showPage(request, response);
        else if (refusesNew || (isLeaving && isReadiness(request.url))) refuseLeaving(response, docsUrlFor(request));
        else handle(request, response);
      },
      refuseRead: (request, response) => refuseBusy(response, docsUrlFor(request)),
      // At capacity, still serve pages, which are in memory, and health checks, which must always work.
      isAlwaysServed: (target) => !isManagement(target) || /^\/api\/(health|ready)\b/.test(target),
    },
    reload: async (next) => {
      const nextBilling = await chooseBilling(next.platform);
      // Reset the counters only if the limits changed.
      if (!isDeepStrictEqual(settings.platform.limits, next.platform.limits)) {
        throttle = throttleFor(next);
      }
      bundle = await readConsoleBundle(consoleFolder);
      docs = null;
      billing = nextBilling;
      settings = next;
      catalog?.refresh();
    },
    announceLeaving: () => {
      isLeaving = true;
    },
    refuseNew: () => {
      refusesNew = true;
      callTail.close();
    },
    stop: async () => {
      await catalog?.close();
      await Promise.all([db.destroy(), reportDb.destroy()]);
      redis?.close();
    },
  };
}

/** Keeps the catalog of a process without a gateway up to date. */
function followCatalog({ connectionString, logger }: PlatformStart, db: Database, settings: () => Settings) {
  const follow = createCatalogFollower({ db, settings: () => settings().prices, logger });
  const refresh = () => void follow().catch((error) => logger.warn("could not read the catalog edition", { error }));
  const notices = listenForNotices(
    connectionString,
    ({ kind }) => {
      if (kind === "catalog" || kind === "everything") refresh();
    },
    (error) => logger.warn("change notifications interrupted", { error }),
  );
  // An edition may have been applied before the notifications began.
  void notices.listening.then(refresh);
  return { refresh, close: () => notices.close() };
}

function isManagement(target = "/"): boolean {
  return /^\/api(?:[/?]|$)/.test(target);
}

const isReadiness = (target = "/"): boolean => /^\/api\/ready\b/.test(target);

function describeConsole({ general, platform }: Settings, isDevelopment: boolean): ConsoleFacts {
  return {
    isDisabled: general.disableAdminUi,
    hasPublicHub: general.enablePublicModelHub,
    keyHeader: general.keyHeaders[0] ?? "authorization",
    hasTraining: platform.training.runsDir !== null,
    isDevelopment,
  };
}

function runsDirOf({ platform }: Settings): string | null {
  const { runsDir } = platform.training;
  return runsDir === null ? null : resolve(runsDir);
}

function noGateway(): never {
  throw new Error("the platform runs without a local gateway and TOLLGATE_GATEWAY_URL is not set");
}

function connectAs(connectionString: string, poolSize: number, applicationName: string): Database {
  return connect({
    connectionString,
    role: "tollgate_platform",
    poolSize,
    applicationName,
    statementLimitMs: STATEMENT_LIMIT_MS,
  });
}
