import { Failure } from "@tollgate/contracts/failures.ts";
import { rotateKey as replaceSecret } from "@tollgate/db/keys/change-key.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { reachesManagement } from "@tollgate/domain/roles/management-routes.ts";
import { makeSecret } from "./make-secret.ts";
import type { LockedKey } from "./update-key.ts";

/** Throws if the key manages on behalf of another user. `userId` is null for platform administrators. */
export function requireOwnManagementKey(
  key: { readonly allowedRoutes: readonly string[] | null; readonly creatorId: number | null },
  userId: number | null,
): void {
  // The key's secret grants the creator's role, so only the creator may receive it.
  if (userId === null || !reachesManagement(key.allowedRoutes) || key.creatorId === userId) return;
  throw new Failure("ROLE_REQUIRED", "This key manages on behalf of its creator. Only the creator can rotate it.");
}

/** Replaces a locked key's secret. The old secret keeps working for the grace period. */
export async function rotateKey(
  transaction: TenantTransaction,
  { id, organizationId }: LockedKey,
  graceMs: number,
  now: Date,
): Promise<{ readonly token: string; readonly previousValidUntil: Date | null }> {
  const { token, stored } = makeSecret();
  const previousValidUntil = graceMs === 0 ? null : new Date(now.getTime() + graceMs);
  await replaceSecret(transaction, organizationId, id, { ...stored, previousValidUntil }, now);
  return { token, previousValidUntil };
}
