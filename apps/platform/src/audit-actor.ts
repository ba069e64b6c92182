import type { AuditActor } from "@tollgate/db/audit/write-audit.ts";
import type { Caller, Origin } from "./caller.ts";

/** Who makes a change, as the audit log names them. */
export function actorOf({ caller, origin }: { readonly caller: Caller; readonly origin: Origin }): AuditActor {
  const { ip, userAgent, requestId } = origin;
  return { type: "user", id: caller.userId, email: caller.email, ip, userAgent, requestId };
}

/** The same for what only an administrator of the platform can do. */
export function administratorOf(input: { readonly caller: Caller; readonly origin: Origin }): AuditActor {
  return { ...actorOf(input), type: "admin" };
}
