import { Failure } from "@tollgate/contracts/failures.ts";
import type { LogsQuery } from "@tollgate/contracts/management/usage.ts";
import { readInOrganization, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { CallFilter } from "@tollgate/db/usage/call-filter.ts";
import { beginReport, findKeyIds, listTeamsOf } from "@tollgate/db/usage/report-scope.ts";
import { hashApiKey } from "@tollgate/domain/api-keys.ts";
import { MAX_SESSION_LENGTH } from "@tollgate/domain/credit/usage-event.ts";
import type { Caller } from "../caller.ts";
import type { Services } from "../services.ts";
import type { ReportRange } from "./report-range.ts";

const KEY_ID = /^key_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Data that a caller may see in reports. */
export interface ReportScope {
  readonly organizationId: string;
  readonly organizationName: string;
  /** IDs of the teams that the caller may see; null for all teams. */
  readonly teamIds: readonly string[] | null;
  readonly retentionDays: number;
  readonly timezone: string;
  readonly keepsContent: boolean;
}

/** Runs a report on the caller's organization, using the report connections. */
export function runReport<T>(
  caller: Caller,
  { reportDb, settings }: Services,
  work: (transaction: TenantTransaction, scope: ReportScope) => Promise<T>,
): Promise<T> {
  const { organization, userId } = caller;
  if (organization === null) {
    throw new Failure(
      "NO_ACTIVE_ORGANIZATION",
      "You are not a member of any organization. Create one, or ask for an invitation.",
    );
  }
  const run = async (transaction: TenantTransaction) => {
    const shown = await beginReport(transaction, organization.id);
    return work(transaction, {
      organizationId: organization.id,
      organizationName: shown.name,
      teamIds: organization.role === "member" ? await listTeamsOf(transaction, organization.id, userId) : null,
      retentionDays: Math.min(shown.retentionDays, settings().usage.retentionDays),
      timezone: shown.timezone,
      keepsContent: shown.keepsContent,
    });
  };
  return readInOrganization(reportDb, organization.id, run, userId);
}

/** Returns a query's filter, limited to the data that the caller may see. */
export async function filterOf(
  transaction: TenantTransaction,
  scope: ReportScope,
  range: ReportRange,
  query: Partial<Omit<LogsQuery, "sort">>,
): Promise<CallFilter> {
  const { teamId, model, provider, endpoint, requestId, session, userId, minCost } = query;
  const { errorCode, deploymentId, stream, minLatencyMs, search } = query;
  return {
    organizationId: scope.organizationId,
    ...range,
    teamIds: both(scope.teamIds, teamId ?? null),
    keyIds: query.apiKey === undefined ? null : await readKeys(transaction, scope.organizationId, query.apiKey),
    models: model ?? null,
    providers: provider ?? null,
    classes: query.class ?? null,
    endpoints: endpoint ?? null,
    userIds: userId?.map(String) ?? null,
    requestIds: requestId ?? null,
    session: session?.slice(0, MAX_SESSION_LENGTH).toWellFormed() ?? null,
    minCost: minCost ?? null,
    errorCodes: errorCode ?? null,
    deploymentIds: deploymentId ?? null,
    isStream: stream ?? null,
    isCached: query.cached ?? null,
    minLatencyMs: minLatencyMs ?? null,
    search: search ?? null,
  };
}

/** Returns the IDs of keys given by ID or secret. An unknown secret matches no key. */
async function readKeys(
  transaction: TenantTransaction,
  organizationId: string,
  named: readonly string[],
): Promise<string[]> {
  const ids = named.filter((text) => KEY_ID.test(text));
  const secrets = named.filter((text) => !KEY_ID.test(text));
  if (secrets.some((text) => /[…*]|\.\.\./.test(text))) {
    throw new Failure("MASKED_KEY", "This is a masked key. Send the key's ID, such as key_01J…, or its secret.");
  }
  if (secrets.length === 0) return ids;
  return [...ids, ...(await findKeyIds(transaction, organizationId, secrets.map(hashApiKey)))];
}

function both(visible: readonly string[] | null, wanted: readonly string[] | null): readonly string[] | null {
  if (visible === null || wanted === null) return visible ?? wanted;
  return wanted.filter((id) => visible.includes(id));
}
