import type { HeartbeatAnswer, LeaseUse } from "@tollgate/domain/credit/lease-messages.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { writeAmounts } from "./write-amounts.ts";

interface Heartbeat {
  readonly nodeId: string;
  readonly epoch: number;
  /** Increases by one with each heartbeat. */
  readonly beat: number;
  /** Oldest unconfirmed event in the node's journal; null if the ledger has all events. */
  readonly oldestUnconfirmedAtMs: number | null;
  /** Usage of the leases that have changed. */
  readonly uses: readonly LeaseUse[];
}

/** Renews a node's leases for another 30 seconds, and reactivates expired leases. */
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
