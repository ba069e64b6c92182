import type { CallFilter } from "./call-filter.ts";
import { type CallRow, timeOfId } from "./read-calls.ts";

/** Reports whether a call matches a filter. Applies the database's conditions to a row in memory. */
export function matchesCall(filter: CallFilter, call: CallRow): boolean {
  const isAmong = (list: readonly (string | null)[] | null, value: string | null) => list?.includes(value) ?? true;
  const atMs = timeOfId(call.id);
  return (
    call.organizationId === filter.organizationId &&
    atMs >= filter.from.getTime() &&
    atMs < filter.to.getTime() &&
    isAmong(filter.teamIds, call.teamId) &&
    isAmong(filter.keyIds, call.keyId) &&
    isAmong(filter.models, call.model) &&
    isAmong(filter.providers, call.provider) &&
    isAmong(filter.classes, call.class) &&
    isAmong(filter.endpoints, call.endpoint) &&
    isAmong(filter.userIds, call.userId) &&
    isAmong(filter.requestIds, call.requestId) &&
    (filter.session === null || call.session === filter.session) &&
    isAmong(filter.errorCodes, call.errorCode) &&
    isAmong(filter.deploymentIds, call.deploymentId) &&
    (filter.isCached === null || (call.attempts === 0 && call.class === "succeeded") === filter.isCached) &&
    (filter.isStream === null || call.isStream === filter.isStream) &&
    call.cost >= (filter.minCost ?? 0n) &&
    call.latencyMs >= (filter.minLatencyMs ?? 0) &&
    (filter.search === null || isFound(filter.search, call))
  );
}

function isFound(search: string, { requestId, errorCode }: CallRow): boolean {
  return requestId.startsWith(search) || errorCode?.toLowerCase().includes(search.toLowerCase()) === true;
}
