import type { Database } from "@tollgate/db/connect.ts";
import { chainEarlierTransactions, hasUnchainedTransactions } from "@tollgate/db/ledger/chain-earlier-transactions.ts";
import { FolderWriter } from "@tollgate/db/ledger/checkpoints/checkpoint-folder.ts";
import {
  type CheckpointSink,
  type CheckpointTarget,
  deliverCheckpoints,
  hasSinks,
  hasUndelivered,
  pruneCheckpoints,
  registerSinks,
} from "@tollgate/db/ledger/checkpoints/deliver-checkpoints.ts";
import { writeCheckpoints } from "@tollgate/db/ledger/checkpoints/write-checkpoints.ts";
import { readPrivateKey } from "@tollgate/domain/signing-keys.ts";
import { signWebhook } from "@tollgate/domain/webhooks/sign-webhook.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { postWebhook } from "../jobs/post-webhook.ts";

interface CheckpointOptions {
  readonly db: Database;
  readonly logger: Logger;
  /** Returns the current settings. */
  readonly settings: () => Pick<PlatformSettings, "checkpoints" | "outboundAllow" | "usage">;
  readonly now: () => number;
}

/**
 * Appends waiting transactions to their chains, signs the ends of all chains that grew, and delivers the signed
 * checkpoints. Signing and delivery are separate jobs, so that an unavailable folder or webhook delays no checkpoint.
 */
export class LedgerCheckpoints {
  readonly #options: CheckpointOptions;
  readonly #folders = new FolderWriter();

  constructor(options: CheckpointOptions) {
    this.#options = options;
  }

  /** Reports whether transactions must be chained, or checkpoints are or were configured. */
  async hasChanges(): Promise<boolean> {
    const { db, settings } = this.#options;
    if (settings().checkpoints.signingKey !== null) return true;
    return (await hasUnchainedTransactions(db)) || (await hasSinks(db));
  }

  /** Appends waiting transactions to their chains and, if a key is configured, writes checkpoints to the database. */
  async write(): Promise<void> {
    const { db, logger, settings, now } = this.#options;
    await chainEarlierTransactions(db);
    const { checkpoints, usage } = settings();
    await registerSinks(db, checkpoints.signingKey === null ? [] : targetsOf(checkpoints));
    if (checkpoints.signingKey === null) return;
    const key = readPrivateKey(checkpoints.signingKey.reveal());
    if (key === null) throw new Error("checkpoints.signingKey is not an Ed25519 private key");
    await writeCheckpoints(db, { key, now: new Date(now()), retentionDays: usage.retentionDays });
    for (const { sink, count } of await pruneCheckpoints(db)) {
      logger.warn(`deleted ledger checkpoints that the ${sink} refused for 90 days`, { count });
    }
  }

  /** Reports whether a configured folder or webhook lacks a checkpoint. */
  async hasDeliveries(): Promise<boolean> {
    const { db, settings } = this.#options;
    return settings().checkpoints.signingKey !== null && (await hasUndelivered(db));
  }

  /** Delivers the checkpoints to the folder and the webhook at the same time, so that neither waits for the other. */
  async deliver(): Promise<void> {
    const { db, logger } = this.#options;
    const deliverTo = async (sink: CheckpointSink): Promise<void> => {
      try {
        await deliverCheckpoints(db, sink);
      } catch (error) {
        logger.error(`could not deliver ledger checkpoints to the ${sink.kind}; will retry`, { error });
      }
    };
    await Promise.all(this.#sinks().map(deliverTo));
  }

  #sinks(): CheckpointSink[] {
    const { checkpoints, outboundAllow } = this.#options.settings();
    const { webhookSecret } = checkpoints;
    return targetsOf(checkpoints).map((each) => {
      const { kind, target } = each;
      if (kind === "folder") {
        return { ...each, deliver: (checkpoint) => this.#folders.write(target, checkpoint) };
      }
      const deliver: CheckpointSink["deliver"] = async ({ number, content }) => {
        const headers = {
          "content-type": "text/plain; charset=utf-8",
          "x-gw-event-id": `checkpoint-${number}`,
          "x-gw-signature": signWebhook(webhookSecret?.reveal() ?? "", content, new Date()),
        };
        const rule = { allowed: outboundAllow, allowsQuery: true };
        const { isTaken, outcome } = await postWebhook({ url: target, headers, body: content }, rule);
        if (!isTaken) throw new Error(`the webhook did not accept checkpoint ${number}: ${outcome}`);
      };
      return { ...each, deliver };
    });
  }
}

function targetsOf({ folder, webhookUrl }: PlatformSettings["checkpoints"]): readonly CheckpointTarget[] {
  return [
    ...(folder === null ? [] : [{ kind: "folder" as const, target: folder }]),
    ...(webhookUrl === null ? [] : [{ kind: "webhook" as const, target: webhookUrl }]),
  ];
}
