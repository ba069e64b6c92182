import { CallLogDetail, type ContentState } from "@tollgate/contracts/management/call-detail.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { runInOrganization, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { CallFilter } from "@tollgate/db/usage/call-filter.ts";
import { findCall, findContent, findLabeledCall, type SealedContent } from "@tollgate/db/usage/find-call.ts";
import { type ChargedCall, findCharge } from "@tollgate/db/usage/find-charge.ts";
import type { CallRow } from "@tollgate/db/usage/read-calls.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { cacheHitRate, cacheSavings } from "@tollgate/domain/pricing/cache-savings.ts";
import { listCostLines } from "@tollgate/domain/pricing/list-cost-lines.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import Type from "typebox";
import { actorOf } from "../audit-actor.ts";
import type { Caller, Origin } from "../caller.ts";
import { operation, read } from "../operation.ts";
import type { Services } from "../services.ts";
import { callIdOf, toCallLog } from "./call-log.ts";
import { CONTENT_PURPOSE, contentRetentionDays } from "./content-retention.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { hideOlder } from "./report-range.ts";
import { filterOf, type ReportScope, runReport } from "./report-scope.ts";

const DAY_MS = 86_400_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns one call, with its contents if the organization stores them. Access is recorded in the audit log. */
export const getLog = operation({
  ...read,
  id: "getLog",
  summary: "Get a request with its cost breakdown and, if stored, its content",
  tag: "usage",
  path: "/api/gw/logs/{id}",
  auth: "user",
  scope: "own",
  params: Type.Object({
    id: PathId,
  }),
  answers: { 200: { description: "The request", schema: CallLogDetail } },
  handle: async ({ caller, params, origin }, services) => {
    const now = services.now();
    const found = await runReport(caller, services, async (transaction, scope) => {
      const everything = { from: new Date(0), to: new Date(now.getTime() + DAY_MS) };
      const filter = await filterOf(transaction, scope, hideOlder(everything, scope.retentionDays, now), {});
      const call = await find(transaction, filter, params.id);
      if (call === null) return null;
      return {
        call,
        charge: await findCharge(transaction, scope.organizationId, call.id),
        sealed: await findContent(transaction, scope.organizationId, call.id, now),
        refusal: await explainRefusal(transaction, call, scope.organizationName),
        scope,
      };
    });
    if (found === null) throw unknownObject("request");
    const { call, charge, sealed, refusal, scope } = found;
    const log = toCallLog(call);
    const content = sealed && (await openContent(sealed, log.id, caller, origin, services));
    return {
      status: 200,
      body: {
        log: {
          ...log,
          content,
          contentState: content === null ? stateOf(call, log.createdAt, scope, now) : "kept",
          ...describeCharge(call, charge),
          route: {
            attempts: log.attempts,
            fallbackFrom: log.fallbackFrom,
            deploymentId: log.deploymentId,
            provider: log.provider,
          },
          refusal,
        },
      },
    };
  },
});

/** Finds a call by its ID or by the label that the client gave it. The label defaults to the ID. */
async function find(transaction: TenantTransaction, filter: CallFilter, text: string): Promise<CallRow | null> {
  const id = callIdOf(text) ?? (UUID.test(text) ? text : null);
  const call = id === null ? null : await findCall(transaction, filter, id);
  return call ?? findLabeledCall(transaction, filter, text);
}

/** Returns why the call has no content. Requests without a usage event never have content. */
function stateOf(call: CallRow, createdAt: Date, scope: ReportScope, now: Date): ContentState {
  if (call.state === null) return "not_captured";
  if (!scope.keepsContent) return "off";
  return now.getTime() - createdAt.getTime() > contentRetentionDays(scope.retentionDays) * DAY_MS
    ? "expired"
    : "not_captured";
}

function describeCharge(call: CallRow, charge: ChargedCall | null) {
  const version = charge?.price ?? null;
  const saved = charge === null || version === null ? null : cacheSavings(charge.usage, version.price);
  const lines = charge === null ? [] : listCostLines(charge.usage, version?.price ?? null, call.cost);
  return {
    costLines: lines.map((line) => ({
      ...line,
      usd: usdOf({ ratePerMillion: line.ratePerMillion, amount: line.amount }),
    })),
    promptCache: saved === null || charge === null ? null : describeCache(charge.usage, saved),
    price: version && {
      versionId: version.id,
      source: version.model,
      condition: version.condition ?? null,
      effectiveFrom: version.firstSeenAt,
    },
  };
}

/** Describes the effect of the provider's prompt cache; null if it was not used. */
function describeCache({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage, saved: NanoUsd) {
  if (cacheReadTokens === 0 && cacheWriteTokens === 0) return null;
  const hitRate = cacheHitRate(cacheReadTokens, inputTokens + cacheReadTokens + cacheWriteTokens);
  return { hitRate, saved, usd: usdOf({ saved }) };
}

async function openContent(
  { request, answer, isCut }: SealedContent,
  logId: string,
  caller: Caller,
  origin: Origin,
  { db, secrets }: Services,
) {
  const organizationId = caller.organization?.id as string;
  await runInOrganization(
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
    request: secrets.open(request, CONTENT_PURPOSE),
    answer: secrets.open(answer, CONTENT_PURPOSE),
    truncated: isCut,
  };
}
