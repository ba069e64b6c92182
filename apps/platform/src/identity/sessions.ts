import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { Session } from "@tollgate/contracts/management/identity.ts";
import { listOf, pageFields, toList } from "@tollgate/contracts/management/lists.ts";
import { listSessions, revokeSession } from "@tollgate/db/accounts/sessions.ts";
import { type AuditActor, writeAudit } from "@tollgate/db/audit/write-audit.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import Type from "typebox";
import { actorOf } from "../audit-actor.ts";
import { SESSION_IDLE_MS } from "../http/authenticate.ts";
import { operation, read, write } from "../operation.ts";
import { clearedCookie } from "./session-cookie.ts";

export const logout = operation({
  ...write,
  id: "logout",
  summary: "End the current session",
  tag: "identity",
  path: "/api/auth/logout",
  auth: "user",
  scope: "user",
  idempotency: "none",
  answers: { 204: { description: "The session is ended and its tokens are invalid" } },
  handle: async (input, transaction, services) => {
    const { userId, sessionId, isCookie } = input.caller;
    await endSession(transaction, { userId, sessionId, now: services.now() }, actorOf(input));
    return { status: 204, ...(isCookie && { headers: clearedCookie(services.settings()) }) };
  },
});

export const listSessionsOperation = operation({
  ...read,
  id: "listSessions",
  summary: "List your active sessions",
  tag: "identity",
  path: "/api/auth/sessions",
  auth: "user",
  scope: "user",
  query: Type.Object(pageFields),
  answers: { 200: { description: "Sessions, newest first", schema: listOf(Session) } },
  handle: async ({ caller, query }, transaction, services) => {
    const now = services.now();
    const seenSince = new Date(now.getTime() - SESSION_IDLE_MS);
    const { sessions, total } = await listSessions(transaction, caller.userId, seenSince, now, query);
    const data = sessions.map((session) => ({ ...session, current: session.id === caller.sessionId }));
    return { status: 200, body: toList(data, query, total) };
  },
});

export const deleteSession = operation({
  ...write,
  method: "DELETE",
  id: "deleteSession",
  summary: "End one of your sessions",
  tag: "identity",
  path: "/api/auth/sessions/{id}",
  auth: "user",
  scope: "user",
  idempotency: "none",
  params: Type.Object({ id: PathId }),
  answers: { 204: { description: "The session is ended and its tokens are invalid" } },
  handle: async (input, transaction, services) => {
    const { userId } = input.caller;
    const ended = { userId, sessionId: input.params.id, now: services.now() };
    if (!(await endSession(transaction, ended, actorOf(input)))) throw unknownObject("session");
    return { status: 204 };
  },
});

/** Ends a session and writes an audit log entry; returns false if the session doesn't exist. */
export async function endSession(
  transaction: TenantTransaction,
  { userId, sessionId, now }: { readonly userId: number; readonly sessionId: string; readonly now: Date },
  actor: AuditActor,
): Promise<boolean> {
  if (!(await revokeSession(transaction, userId, sessionId, now))) return false;
  await writeAudit(transaction, {
    organizationId: null,
    actor,
    action: "session.revoked",
    target: { type: "session", id: sessionId },
  });
  return true;
}
