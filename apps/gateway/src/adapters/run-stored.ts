import { Failure } from "@tollgate/contracts/failures.ts";
import type { Access } from "@tollgate/db/assistants/access.ts";
import type { Sealer } from "@tollgate/db/assistants/sealed-record.ts";
import { StorageFullError } from "@tollgate/db/assistants/storage-quota.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { isDatabaseUnavailable } from "@tollgate/db/database-errors.ts";
import { runForOwner } from "@tollgate/db/tenancy.ts";
import type { StorageLimits } from "@tollgate/domain/assistants/stored-bytes.ts";
import type { OwnerContext } from "../assistants/assistant-store.ts";
import { storageFull } from "../assistants/storage-full.ts";
import type { StorageTurns } from "./storage-turns.ts";

export interface RecordStorage {
  /** Connects with the gateway's role. The database restricts each caller to its own rows. */
  readonly db: Database;
  readonly sealer: Sealer;
  readonly limits: () => StorageLimits;
  /** Shared by all stores of this process that use the same connections. */
  readonly turns: StorageTurns;
}

/** Runs work on stored records in one transaction, on behalf of their owner. Throws a failure if storage is full. */
export function runStored<T>(
  { db, sealer, limits }: RecordStorage,
  acting: OwnerContext,
  work: (access: Access) => Promise<T>,
  onNearLimit: () => void = () => {},
): Promise<T> {
  const { keyId, organizationId } = acting;
  const owner = acting.isAdministrator ? null : acting.owner;
  return runForOwner(db, acting, (transaction) =>
    work({ transaction, sealer, owner, storage: { keyId, organizationId, limits: limits(), onNearLimit } }),
  ).catch((error: unknown) => {
    if (error instanceof StorageFullError) throw storageFull(error.full, acting);
    if (!isDatabaseUnavailable(error)) throw error;
    throw new Failure("DB_TIMEOUT", "The database is not responding. Try again shortly.", { cause: error });
  });
}

/** Like `runStored`, for work that can add stored bytes. Near a limit, it waits for its turn without a connection. */
export function writeStored<T>(
  storage: RecordStorage,
  acting: OwnerContext,
  work: (access: Access) => Promise<T>,
): Promise<T> {
  return storage.turns.run(acting, (onNearLimit) => runStored(storage, acting, work, onNearLimit));
}
