import { Failure } from "@tollgate/contracts/failures.ts";
import { rotateKey as replaceSecret } from "@tollgate/db/keys/change-key.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { isPlatformAdministrator } from "@tollgate/db/users/is-platform-administrator.ts";
import { reachesManagement } from "@tollgate/domain/roles/management-routes.ts";
import { makeSecret } from "./make-secret.ts";
import type { LockedKey } from "./update-key.ts";

/**
 * Throws if the key's secret would give the user a role of another user: that of a platform administrator, or that of the
 * creator of a key that manages. `userId` is null for platform administrators.
 */
export async function requireOwnRole(
  transaction: TenantTransaction,
  key: { readonly allowedRoutes: readonly string[] | null; readonly creatorId: number | null },
  userId: number | null,
): Promise<void> {
  const { allowedRoutes, creatorId } = key;
  if (userId === null || creatorId === userId) return;
  if (reachesManagement(allowedRoutes)) {
    throw new Failure("ROLE_REQUIRED", "This key manages on behalf of its creator. Only the creator can rotate it.");
  }
  if (creatorId === null || !(await isPlatformAdministrator(transaction, creatorId))) return;
  throw new Failure("ROLE_REQUIRED", "This key has an administrator's role. Only its creator can rotate it.");
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
