import type { Owner } from "@tollgate/domain/assistants/records.ts";
import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import type { Sealer } from "./sealed-record.ts";

/** A transaction in which records can be opened, and whose they are. */
export interface Access {
  readonly transaction: TenantTransaction;
  readonly sealer: Sealer;
  /** Null for whoever may reach everyone's: a worker, or an administrator. */
  readonly owner: Owner | null;
}

/** What a query asks for besides the id. The database hides foreign rows anyway; said here, an index serves it. */
export function isOwned({ owner }: Access): RawBuilder<boolean> {
  return owner === null ? sql<boolean>`true` : sql<boolean>`owner = ${owner}`;
}
