import { setTimeout as pause } from "node:timers/promises";
import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { listVerifyingKeys } from "@tollgate/db/accounts/list-verifying-keys.ts";
import { reportRunStreams } from "@tollgate/db/assistants/run-streams.ts";
import { listServedModels } from "@tollgate/db/catalog/served-models.ts";
import { readChangeFeed } from "@tollgate/db/change-feed.ts";
import { listenForNotices } from "@tollgate/db/change-notifications.ts";
import { connect } from "@tollgate/db/connect.ts";
import { isDatabaseUnavailable } from "@tollgate/db/database-errors.ts";
import { findKeyByHash, findKeyById } from "@tollgate/db/keys/find-key-by-hash.ts";
import { isKeyOfLeader } from "@tollgate/db/keys/is-key-of-leader.ts";
import { isKeyOfTeamMember } from "@tollgate/db/keys/is-key-of-team-member.ts";
import { findTeam } from "@tollgate/db/teams/find-team.ts";
import { readMeanOutput } from "@tollgate/db/usage/read-mean-output.ts";
import { logRefusedCalls, saveContents } from "@tollgate/db/usage/write-calls.ts";
import type { StorageLimits } from "@tollgate/domain/assistants/stored-bytes.ts";
import { isAllowedAddress } from "@tollgate/domain/network/outbound-target.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import { createOtherModelReport, type UsageRecorder } from "@tollgate/gateway/accounting/record-usage.ts";
import { AnswerStores } from "@tollgate/gateway/adapters/answer-stores.ts";
import { SealedContents } from "@tollgate/gateway/adapters/call-logs.ts";
import { ChangeFeed } from "@tollgate/gateway/adapters/change-feed.ts";
import { createInternalCallers } from "@tollgate/gateway/adapters/internal-callers.ts";
import { CachedKeyDirectory } from "@tollgate/gateway/adapters/key-directory.ts";
import { MeanOutputs } from "@tollgate/gateway/adapters/mean-outputs.ts";
import { openCollector } from "@tollgate/gateway/adapters/open-collector.ts";
import { RunStreamReports } from "@tollgate/gateway/adapters/run-stream-reports.ts";
import { SampledCallLog } from "@tollgate/gateway/adapters/sampled-call-log.ts";
import { createCatalogFollower } from "@tollgate/gateway/adapters/server-catalog.ts";
import { SharedRouting } from "@tollgate/gateway/adapters/shared-routing.ts";
import { StorageTurns } from "@tollgate/gateway/adapters/storage-turns.ts";
import { createStoredAssistants } from "@tollgate/gateway/adapters/stored-assistants.ts";
import { StoredIdempotency } from "@tollgate/gateway/adapters/stored-idempotency.ts";
import { StoredModels } from "@tollgate/gateway/adapters/stored-models.ts";
import { createStoredResponses } from "@tollgate/gateway/adapters/stored-responses.ts";
import { Gateway } from "@tollgate/gateway/app.ts";
import { withInternalHealth } from "@tollgate/gateway/http/internal-health.ts";
import type { ListenTarget } from "@tollgate/gateway/http/listen-on.ts";
import type { MountedHandler } from "@tollgate/gateway/http/mounted-handler.ts";
import { litellmOperations } from "@tollgate/platform/litellm/litellm-operations.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { ChooseProxy } from "@tollgate/runtime/outbound-proxy.ts";
import { processClock } from "@tollgate/runtime/process-clock.ts";
import { createSecretBox, type SecretBox } from "@tollgate/runtime/secret-box.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { storageLimitsOf } from "@tollgate/runtime/settings/storage-limits.ts";
import { openManagement } from "./open-management.ts";
import { createDatabaseProbe } from "./probe-database.ts";
import { type AccountingStart, startAccounting } from "./start-accounting.ts";
import type { ServingCertificate } from "./tls/serving-certificate.ts";

interface RunningGateway {
  readonly port: number;
  reload(settings: Settings): Promise<void>;
  /** Uses the given certificate for new connections. */
  renewCertificate(certificate: ServingCertificate): void;
  /** Returns this process's metrics as text. */
  writeMetrics(): Promise<string>;
  /** Makes the readiness check fail from now on, but keeps serving. */
  announceLeaving(): void;
  /** Drains running calls, then closes all resources. */
  stop(drainTimeoutMs: number, othersListen?: boolean): Promise<void>;
}

interface GatewayStart extends AccountingStart {
  readonly target: ListenTarget;
  /** Keys for encrypted data; empty if no secret key is configured. */
  readonly secretKeys: readonly Secret[];
  /** Another handler on this server, such as the platform; null if there is none. */
  readonly mounted: MountedHandler | null;
  /** TLS certificate; omitted for plain HTTP. */
  readonly certificate?: ServingCertificate | null;
  /** Selects the proxy for an upstream; omitted if no proxy is configured. */
  readonly chooseProxy?: ChooseProxy;
  readonly recorder: UsageRecorder | null;
  /** Returns the metrics of this instance's other gateway processes; omitted if there are none. */
  readonly peerMetrics?: () => Promise<readonly string[]>;
  /** Called when memory is nearly exhausted and only a restart can free it. */
  readonly onExhausted?: () => void;
  /** Called when a request asks this instance to announce its shutdown. */
  readonly onLeaving?: () => void;
  /** Called when everything is loaded, before the first connection is accepted. */
  readonly onLoaded?: () => void;
}

const KEY_POOL_SIZE = 10;
/** Size of the pool for assistants. It is separate from the key pool, so that long threads never delay a key lookup. */
const ASSISTANTS_POOL_SIZE = 8;
const ASSISTANTS_ACQUIRE_MS = 10_000;
/** Size of the pool for calls with an Idempotency-Key, which may have hundreds of concurrent retries. */
const REPEATS_POOL_SIZE = 6;
/**
 * Maximum wait for the stored models at startup. If the database is unavailable, the gateway starts without the stored
 * models and loads them later.
 */
const FIRST_READ_LIMIT_MS = 2_000;

/** Connects a gateway to its database and journal, and starts it. */
export async function startGateway(start: GatewayStart): Promise<RunningGateway> {
  const { connectionString, logger } = start;
  let { settings, certificate = null } = start;
  const now = processClock.monotonicMs;
  const db = connect({
    connectionString,
    role: "tollgate_gateway",
    poolSize: KEY_POOL_SIZE,
    applicationName: "tollgate gateway",
  });
  const keys = new CachedKeyDirectory((hash) => findKeyByHash(db, hash), now);
  keys.setMasterKey(settings.general.masterKey);
  const accounting = await startAccounting(start);
  const targetRule = () => ({ allowed: settings.platform.outboundAllow });
  const unadmitted = new SampledCallLog({
    write: (calls) => logRefusedCalls(db, calls),
    now,
    isTemporary: isDatabaseUnavailable,
    onFailed: (count, willRetry, error) =>
      logger.warn(willRetry ? "could not log requests yet; retrying" : "dropped requests from the logs", {
        count,
        error,
      }),
  });
  const secrets = start.secretKeys.length === 0 ? null : createSecretBox(start.secretKeys);
  // Without a secret key, request contents are not stored, because they are never stored unencrypted.
  const contents =
    secrets === null
      ? null
      : new SealedContents(
          secrets,
          (kept) => saveContents(db, kept),
          (count, error) => logger.warn("could not store request contents", { count, error }),
        );
  const assistants = secrets === null ? null : openAssistants(start, secrets, () => storageLimitsOf(settings));
  const processId = crypto.randomUUID();
  const runStreams = new RunStreamReports({
    write: (open) => reportRunStreams(db, processId, open),
    onFailed: (error) => logger.warn("could not report open streams of runs; will retry", { error }),
  });
  const repeats = secrets === null ? null : openRepeats(connectionString, secrets, logger);
  const answers = new AnswerStores({
    redisUrl: start.redisUrl,
    sealer: secrets,
    onTrouble: (error) => logger.warn("response cache unavailable", { error }),
  });
  const management = openManagement({ connectionString, settings: () => settings, secrets });
  const meanOutputs = new MeanOutputs((organizationId, group) => readMeanOutput(db, organizationId, group), now);
  const internalCallers = createInternalCallers({
    listKeys: () => listVerifyingKeys(db),
    findKey: (id) => findKeyById(db, id),
    findMaster: () => keys.master,
    addresses: () => settings.general.internalAddresses,
    now,
    wallClock: Date.now,
  });
  const gateway: Gateway = await Gateway.create({
    settings,
    catalog: loadCatalog(),
    keys,
    internalCallers,
    tls: certificate,
    certificateExpiry: () => certificate?.expiresAtMs ?? null,
    ...(start.chooseProxy && { chooseProxy: start.chooseProxy }),
    servesDocs: start.mounted !== null,
    mounted: withInternalHealth(start.mounted, {
      gateway: () => gateway,
      callers: internalCallers,
      peerMetrics: start.peerMetrics ?? (async () => []),
      now,
    }),
    findTeam: (id) => findTeam(db, id),
    isKeyOfLeader: (keyId) => isKeyOfLeader(db, keyId),
    isKeyOfTeamMember: (keyId, teamId) => isKeyOfTeamMember(db, keyId, teamId),
    accounting: accounting.parts,
    sharedRouting: start.redisUrl === null ? null : new SharedRouting(start.redisUrl),
    assistants: assistants?.store ?? null,
    managementOperations: litellmOperations(management.services),
    responses: assistants?.responses ?? null,
    onRunStreams: runStreams.notify,
    onOtherModel: createOtherModelReport(logger, now),
    onLostResponse: (id, error) => logger.warn("could not store a response", { id, error }),
    answers,
    repeats: repeats?.claims ?? null,
    recorder: start.recorder,
    contents,
    unadmitted,
    unsettled: accounting.unsettled,
    journalDisk: accounting.journalDisk,
    logQueue: () => unadmitted.waiting + (contents?.waiting ?? 0),
    bookMetrics: management.writeBookMetrics,
    ...(start.peerMetrics && { peerMetrics: start.peerMetrics }),
    meanOutput: (organizationId, group) => meanOutputs.get(organizationId, group),
    database: createDatabaseProbe(db),
    onUnexpected: (error, callId) => logger.error("request failed unexpectedly", { error, callId }),
    logLevel: logger.level ?? null,
    collector: await openCollector(settings.general.telemetry, {
      onAway: () => logger.warn("OpenTelemetry export failed; dropped items are counted in gw_telemetry_items_total"),
      onBack: () => logger.info("OpenTelemetry export recovered"),
    }),
    ...(start.onExhausted && { onExhausted: start.onExhausted }),
    ...(start.onLeaving && { onLeaving: start.onLeaving }),
    isAllowedUpstream: (address, url) => isAllowedAddress(address, url, targetRule()),
    onUnusableModel: (name, error) => logger.error(`cannot serve model '${name}' from the database`, { error }),
  });
  const followCatalog = createCatalogFollower({ db, settings: () => settings.prices, logger });
  const stored = new StoredModels({
    read: async () => {
      // The list of models is built from both, so a new edition takes effect together with the models.
      await followCatalog();
      return listServedModels(db);
    },
    serve: (deployments) => gateway.serveStored(deployments),
    secrets,
    targetRule,
    logger,
  });
  const notices = listenForNotices(
    connectionString,
    (notice) => {
      keys.evict(notice);
      accounting.notify(notice);
      stored.notify(notice);
    },
    (error) => logger.warn("change notifications interrupted", { error }),
  );
  const feed = new ChangeFeed({
    read: (since) => readChangeFeed(db, since),
    onChange: (change) => {
      keys.evict(change);
      stored.notify(change);
    },
    onCurrent: (atMs) => keys.confirm(atMs),
    now,
    onTrouble: (error) => logger.warn("change feed interrupted; reading each key every five seconds", { error }),
  });
  feed.start();
  await Promise.race([stored.refresh(), pause(FIRST_READ_LIMIT_MS, undefined, { ref: false })]);
  // Refresh again, because the gateway may have missed changes between the first read and the start of notifications.
  void notices.listening.then(() => stored.refresh());
  start.onLoaded?.();
  const port = await gateway.listen(start.target);
  return {
    port,
    reload: async (next) => {
      await gateway.reload(next);
      settings = next;
      accounting.reload(next);
      keys.setMasterKey(next.general.masterKey);
      void stored.refresh(); // The settings decide which URLs stored models may use, and which disputed prices apply.
    },
    renewCertificate: (renewed) => {
      gateway.renewTls(renewed);
      certificate = renewed;
    },
    writeMetrics: () => gateway.writeMetrics(),
    announceLeaving: () => gateway.announceLeaving(),
    stop: async (drainTimeoutMs, othersListen) => {
      await gateway.drain(drainTimeoutMs, othersListen);
      await unadmitted.flush();
      await contents?.flush();
      await accounting.stop();
      await notices.close();
      await feed.close();
      await stored.close();
      await assistants?.close();
      await runStreams.close();
      await management.close();
      await repeats?.close();
      answers.close();
      await db.destroy();
    },
  };
}

function openAssistants(
  { connectionString, logger }: Pick<GatewayStart, "connectionString" | "logger">,
  sealer: SecretBox,
  limits: () => StorageLimits,
) {
  const db = connect({
    connectionString,
    role: "tollgate_gateway",
    poolSize: ASSISTANTS_POOL_SIZE,
    // Use a long timeout, because hundreds of concurrently created runs may queue for a connection even while the
    // database is available.
    acquireLimitMs: ASSISTANTS_ACQUIRE_MS,
    applicationName: "tollgate assistants",
  });
  const storage = { db, sealer, limits, turns: new StorageTurns() };
  const store = createStoredAssistants({
    ...storage,
    connectionString,
    onTrouble: (error) => logger.warn("run notifications interrupted", { error }),
  });
  return {
    store,
    responses: createStoredResponses(storage),
    close: async () => {
      await store.close();
      await db.destroy();
    },
  };
}

function openRepeats(connectionString: string, sealer: SecretBox, logger: Logger) {
  const db = connect({
    connectionString,
    role: "tollgate_gateway",
    poolSize: REPEATS_POOL_SIZE,
    applicationName: "tollgate repeats",
  });
  const claims = new StoredIdempotency({
    db,
    sealer,
    onTrouble: (error) => logger.warn("could not renew or release an Idempotency-Key claim", { error }),
  });
  return {
    claims,
    close: async () => {
      claims.close();
      await db.destroy();
    },
  };
}
