import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { revokeKeys } from "@tollgate/db/keys/revoke-keys.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { ChangeAuthor } from "../audit-actor.ts";
import type { LockedKey } from "./update-key.ts";

/** Revokes a locked key permanently. */
export async function removeKey(
  transaction: TenantTransaction,
  { id, organizationId, status }: LockedKey,
  { actor, subjects = [] }: ChangeAuthor,
  now: Date,
): Promise<void> {
  await revokeKeys(transaction, organizationId, { keyId: id }, now);
  await writeAudit(transaction, {
    organizationId,
    actor,
    subjects,
    action: "key.revoked",
    target: { type: "key", id },
    before: { status },
    after: { status: "revoked" },
  });
}
