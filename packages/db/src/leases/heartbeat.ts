import type { HeartbeatAnswer, LeaseUse } from "@tollgate/domain/credit/lease-messages.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { writeAmounts } from "./write-amounts.ts";

export interface Heartbeat {
  readonly nodeId: string;
  readonly epoch: number;
  /** One higher with each. */
  readonly beat: number;
  /** Of the node's journal; null when all of it is in the ledger. */
  readonly oldestUnconfirmedAtMs: number | null;
  /** Of the leases whose use has changed. */
  readonly uses: readonly LeaseUse[];
}

/** Keeps a node's leases alive for another thirty seconds, and wakes those that had lapsed. */
export async function heartbeat(db: Database, sent: Heartbeat): Promise<HeartbeatAnswer> {
  const oldestAt = sent.oldestUnconfirmedAtMs === null ? null : new Date(sent.oldestUnconfirmedAtMs);
  const { rows } = await sql<{ liveNodes: number; previousBeat: bigint }>`
    select live_nodes as "liveNodes", previous_beat as "previousBeat"
      from heartbeat(${sent.nodeId}, ${sent.epoch}, ${sent.beat}, ${oldestAt}, ${writeAmounts(sent.uses)}::jsonb)`.execute(
    db,
  );
  const row = rows[0];
  if (row === undefined) return { kind: "fenced" };
  return { kind: "alive", liveNodes: row.liveNodes, previousBeat: Number(row.previousBeat) };
}
