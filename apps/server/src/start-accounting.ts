import { randomBytes } from "node:crypto";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Notice } from "@tollgate/db/change-notifications.ts";
import { connect } from "@tollgate/db/connect.ts";
import { ensurePriceVersions } from "@tollgate/db/ledger/price-versions.ts";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import { CreditNode } from "@tollgate/domain/credit/credit-node.ts";
import { USAGE_STREAM } from "@tollgate/event-log/usage-stream-options.ts";
import type { Accounting } from "@tollgate/gateway/accounting/accounting.ts";
import { ledgerCredit } from "@tollgate/gateway/adapters/ledger-credit.ts";
import { LedgerPriceBook } from "@tollgate/gateway/adapters/ledger-price-book.ts";
import { openRedisClient } from "@tollgate/gateway/adapters/open-redis-client.ts";
import { adoptJournals, recoverJournal } from "@tollgate/gateway/adapters/recover-journals.ts";
import { DeliveryThread } from "@tollgate/gateway/delivery/delivery-thread.ts";
import { Journal, type JournalOptions } from "@tollgate/gateway/journal/journal.ts";
import { lockDirectory } from "@tollgate/gateway/journal/lock-directory.ts";
import { limiterSettings, RateLimiter } from "@tollgate/gateway/limits/rate-limiter.ts";
import { openNode, writeNode } from "@tollgate/journal/node-file.ts";
import { readPendingEvents } from "@tollgate/journal/read-pending-events.ts";
import { usageEventOf } from "@tollgate/journal/usage-event-of.ts";
import { RedisCounters } from "@tollgate/runtime/limits/redis-counters.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import { processClock } from "@tollgate/runtime/process-clock.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";

export interface AccountingStart {
  readonly settings: Settings;
  readonly connectionString: string;
  /** Directory that contains one journal directory for each gateway process on this machine. */
  readonly journalRoot: string;
  /** Journal file sizes. Set if the default of 32 MiB is too large. */
  readonly journalSizes?: Pick<JournalOptions, "segmentBytes" | "emergencyBytes">;
  /** Index of this gateway process on this machine. `processes` is the number of gateway processes. */
  readonly index: number;
  readonly processes: number;
  readonly redisUrl: string | null;
  readonly natsUrl: string | null;
  readonly logger: Logger;
  /** Called when the journal has failed. The process must then drain its calls and exit. */
  readonly onJournalFailed: () => void;
}

interface RunningAccounting {
  readonly parts: Accounting;
  /** Uses these settings for new calls. The admission rule stays until the next start. */
  reload(settings: Settings): void;
  notify(notice: Notice): void;
  /** Returns the number of usage records that the ledger has not confirmed yet, as of one second ago. */
  unsettled(): number;
  /** Returns the free and total space on the journal's disk; null if unknown. */
  journalDisk(): Promise<{ readonly freeBytes: number; readonly totalBytes: number } | null>;
  /** Delivers the last events to the ledger and returns leased credit. Call it when no calls are running. */
  stop(): Promise<void>;
}

const LEDGER_POOL_SIZE = 3;
/**
 * Maximum time to deliver the last events. Events that can't be delivered in this time stay in the journal until the
 * next start.
 */
const DRAIN_MS = 10_000;

/** Opens this process's journal, closes calls that an earlier run left open, and starts leasing credit. */
export async function startAccounting(start: AccountingStart): Promise<RunningAccounting> {
  const { connectionString, logger, settings } = start;
  const directory = join(start.journalRoot, `gateway-${start.index}`);
  const node = await openNode(directory, Date.now());
  const lock = await lockDirectory(directory);
  const epoch = node.epoch + 1;
  const recovered = await recoverJournal(directory, node.nodeId, epoch, logger);
  const db = connect({
    connectionString,
    role: "tollgate_gateway",
    poolSize: LEDGER_POOL_SIZE,
    applicationName: "tollgate gateway ledger",
  });
  const journal = await Journal.open({
    ...start.journalSizes,
    directory,
    nodeId: node.nodeId,
    epoch,
    // If the disk fails permanently, write the usage of running calls to the ledger, because a journal replay may
    // record less usage.
    rescue: async (call, facts) => {
      await settleUsage(db, [usageEventOf(call, facts, node.nodeId)]);
    },
    onStateChange: (state, reason) => {
      logger.error(`the journal is ${state}`, { error: reason });
      if (state === "failed") start.onJournalFailed();
    },
  });
  const delivery = startDelivery(start, directory, journal);
  const ledger = ledgerCredit(db);
  const prices = new LedgerPriceBook((versions) => ensurePriceVersions(db, versions));
  const credit = new CreditNode({
    nodeId: node.nodeId,
    admission: settings.billing.admission,
    maxHold: settings.billing.maxHoldNanoUsd,
    clock: processClock,
    ledger,
    // Persist the epoch before it is used, because a restored database must never issue an epoch twice.
    onEpoch: (current) => void writeNode(directory, { nodeId: node.nodeId, epoch: current }).catch(warnOf(logger)),
    onRestored: () => {
      void prices
        .writeAgain()
        .catch(warnOf(logger))
        .finally(() => delivery.redeliverAll());
    },
    oldestUnconfirmedAtMs: () => delivery.oldestUnconfirmedAtMs,
    pendingEvents: async () => {
      await journal.flush();
      return readPendingEvents(directory);
    },
  });
  // Don't wait for credit. While the ledger is unavailable, calls get an error, but all other parts of this process
  // work.
  void credit.start(node.epoch, recovered.pending).catch(warnOf(logger));
  const { journalRoot, processes } = start;
  const adopted =
    start.index === 0
      ? await adoptJournals({ journalRoot, processes, delivery, ledger, logger, onTrouble: warnOf(logger) })
      : [];
  const redis = start.redisUrl === null ? null : openRedisClient(start.redisUrl);
  const limits = new RateLimiter({
    shared: redis && new RedisCounters(redis, `${node.nodeId}:${randomBytes(4).toString("hex")}`),
    settings: limiterSettings(settings),
    liveProcesses: () => Math.max(credit.liveNodes, start.processes),
    now: processClock.monotonicMs,
    wallClock: processClock.wallMs,
    log: logger,
  });
  return {
    parts: {
      holds: credit,
      limits,
      journal,
      prices,
    },
    reload: (next) => {
      credit.maxHold = next.billing.maxHoldNanoUsd;
      limits.reload(limiterSettings(next));
    },
    unsettled: () => delivery.backlog,
    journalDisk: () => readDisk(directory),
    notify: (notice) => {
      if (notice.kind === "recall") {
        credit.recall(notice.organizationId, notice.allowance, notice.recall, notice.nodes);
      }
      if (notice.kind === "credit") credit.creditChanged(notice.organizationId);
      if (notice.kind === "everything") void prices.writeAgain().catch(warnOf(logger));
    },
    stop: async () => {
      prices.close();
      await journal.close();
      const isDelivered = await delivery.drain(DRAIN_MS);
      await credit.close(isDelivered ? [] : await readPendingEvents(directory)).catch(warnOf(logger));
      await delivery.stop();
      limits.close();
      redis?.destroy();
      await db.destroy();
      for (const held of [lock, ...adopted]) await held.release();
    },
  };
}

function startDelivery(start: AccountingStart, directory: string, journal: Journal): DeliveryThread {
  const { connectionString, logger, natsUrl } = start;
  const { news, synced, firstSegment } = journal;
  return DeliveryThread.start({
    connectionString,
    carrier:
      natsUrl === null
        ? { kind: "direct" }
        : { kind: "jetstream", url: natsUrl, stream: { ...USAGE_STREAM, replicas: null, maxBytes: null } },
    journals: [{ directory, writer: { news, synced, firstSegment } }],
    onTrouble: (step, error) => logger.warn(`usage delivery failed and will be retried (${step})`, { error }),
    onDamage: ({ segment, position }) => logger.error(`journal segment ${segment} is damaged at ${position}`),
  });
}

async function readDisk(directory: string) {
  try {
    const { bavail, blocks, bsize } = await statfs(directory);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null; // The other metrics are still reported.
  }
}

function warnOf(logger: Logger): (error: unknown) => void {
  return (error) => logger.warn("accounting task failed", { error });
}
