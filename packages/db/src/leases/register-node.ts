import { sql } from "kysely";
import type { Database } from "../connect.ts";

interface Registration {
  /** Higher than every epoch of this node that is known to the database or to the node. */
  readonly epoch: number;
  readonly liveNodes: number;
}

/**
 * Starts a new epoch for a gateway process. From then on, leases from earlier epochs are rejected until they are
 * closed.
 */
export async function registerNode(
  db: Database,
  node: { readonly nodeId: string; readonly knownEpoch: number; readonly host: string },
): Promise<Registration> {
  const { rows } = await sql<Registration>`
    select new_epoch as epoch, live_nodes as "liveNodes"
      from register_node(${node.nodeId}, ${node.knownEpoch}, ${node.host})`.execute(db);
  return rows[0] as Registration;
}
