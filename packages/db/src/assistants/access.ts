import type { Owner } from "@tollgate/domain/assistants/records.ts";
import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import type { Sealer } from "./sealed-record.ts";
import type { StorageQuota } from "./storage-quota.ts";

/** A transaction that can decrypt records, and the owner it acts for. */
export interface Access {
  readonly transaction: TenantTransaction;
  readonly sealer: Sealer;
  /** Null for a worker or an administrator, who can access all owners' records. */
  readonly owner: Owner | null;
  /** The quota that stored records count against. */
  readonly storage: StorageQuota;
}

/**
 * Returns the ownership condition for a query. Row-level security hides other owners' rows anyway, but the explicit
 * condition lets the query use an index.
 */
export function isOwned({ owner }: Pick<Access, "owner">): RawBuilder<boolean> {
  return owner === null ? sql<boolean>`true` : sql<boolean>`owner = ${owner}`;
}
