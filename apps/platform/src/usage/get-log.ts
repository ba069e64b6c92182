import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { CallLogDetail } from "@tollgate/contracts/management/usage.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { actInOrganization } from "@tollgate/db/tenancy.ts";
import { findCall, findContent, type SealedContent } from "@tollgate/db/usage/find-call.ts";
import Type from "typebox";
import { actorOf } from "../audit-actor.ts";
import type { Caller, Origin } from "../caller.ts";
import { operation, read } from "../operation.ts";
import type { Services } from "../services.ts";
import { callIdOf, toCallLog } from "./call-log.ts";
import { hideOlder } from "./report-range.ts";
import { actInReports, filterOf } from "./report-scope.ts";

/** One call, with what was asked and answered if the organization keeps that. Whoever reads it is on record. */
export const getLog = operation({
  ...read,
  id: "getLog",
  summary: "Show a call, and its content where that is kept",
  tag: "usage",
  path: "/api/gw/logs/{id}",
  auth: "user",
  scope: "own",
  params: Type.Object({ id: PathId }),
  answers: { 200: { description: "The call", schema: CallLogDetail } },
  handle: async ({ caller, params, origin }, services) => {
    const id = callIdOf(params.id);
    if (id === null) throw unknownObject("call");
    const now = services.now();
    const found = await actInReports(caller, services, async (transaction, scope) => {
      const everything = { from: new Date(0), to: new Date(now.getTime() + 86_400_000) };
      const filter = await filterOf(transaction, scope, hideOlder(everything, scope.retentionDays, now), {});
      const call = await findCall(transaction, filter, id);
      return call && { call, sealed: await findContent(transaction, scope.organizationId, id, now) };
    });
    if (found === null) throw unknownObject("call");
    const log = toCallLog(found.call);
    const content = found.sealed && (await openContent(found.sealed, log.id, caller, origin, services));
    return { status: 200, body: { log: { ...log, content } } };
  },
});

async function openContent(
  { request, answer, isCut }: SealedContent,
  logId: string,
  caller: Caller,
  origin: Origin,
  { db, secrets }: Services,
) {
  const organizationId = caller.organization?.id as string;
  await actInOrganization(
    db,
    organizationId,
    (transaction) =>
      writeAudit(transaction, {
        organizationId,
        actor: actorOf({ caller, origin }),
        action: "org.content_read",
        target: { type: "log", id: logId },
      }),
    caller.userId,
  );
  return {
    request: secrets.open(request, "call content"),
    answer: secrets.open(answer, "call content"),
    truncated: isCut,
  };
}
