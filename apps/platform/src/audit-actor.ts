import type { AuditActor } from "@tollgate/db/audit/write-audit.ts";
import type { Caller, Origin } from "./caller.ts";

/** Who makes a change, for the audit log. */
export interface ChangeAuthor {
  readonly actor: AuditActor;
  /** IDs of users, other than the actor, whose personal data the entry contains. */
  readonly subjects?: readonly number[];
}

/** Returns the audit actor for a user's change. */
export function actorOf({ caller, origin }: { readonly caller: Caller; readonly origin: Origin }): AuditActor {
  const { ip, userAgent, requestId } = origin;
  return { type: "user", id: caller.userId, email: caller.email, ip, userAgent, requestId };
}

/** Returns the audit actor for a platform administrator's change. */
export function administratorOf(input: { readonly caller: Caller; readonly origin: Origin }): AuditActor {
  return { ...actorOf(input), type: "admin" };
}
