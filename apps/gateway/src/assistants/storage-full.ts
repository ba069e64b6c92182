import { Failure } from "@tollgate/contracts/failures.ts";
import { describeFullStorage, type FullStorage } from "@tollgate/domain/assistants/stored-bytes.ts";
import type { OwnerContext } from "./assistant-store.ts";

const DELETE = "Delete threads, assistants, or stored responses";

/** Returns the failure of a request that would exceed a limit of stored bytes. Retrying it does not help. */
export function storageFull(full: FullStorage, acting: OwnerContext): Failure {
  const { reason, current, maximum } = full;
  const isKey = reason === "key";
  const ownerName = (isKey ? acting.keyName : acting.organizationName) ?? "";
  const owner = isKey ? `Key '${ownerName}'` : `Organization '${ownerName}'`;
  const code = reason === "unpaid" ? "QUOTA_EXCEEDED" : "storage_limit_exceeded";
  const ownerType = isKey ? "key" : "organization";
  return new Failure(code, describeFullStorage(full, owner), {
    limit: { kind: "stored_bytes", ownerType, ownerName, current, maximum, resetsAt: null },
    fix: reason === "unpaid" ? `${DELETE}, or add credit.` : `${DELETE}.`,
  });
}
