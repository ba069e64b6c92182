import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { Origin } from "../caller.ts";
import type { Services } from "../services.ts";
import { openSession, type SessionOwner } from "./open-session.ts";
import type { SessionClaims } from "./token-issuer.ts";

/** Opens a session for an authenticated user and writes an audit log entry. */
export async function logIn(
  transaction: TenantTransaction,
  services: Services,
  origin: Origin,
  { email, ...owner }: SessionOwner & { readonly email: string },
): Promise<SessionClaims> {
  const opened = await openSession(transaction, services, origin, owner);
  await writeAudit(transaction, {
    organizationId: null,
    actor: { type: "user", id: owner.userId, email, ...origin },
    action: "user.logged_in",
    target: { type: "session", id: opened.sessionId },
  });
  return opened;
}
