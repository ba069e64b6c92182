import { exactNumber, usdNumber } from "@tollgate/domain/exact-number.ts";
import type { SpendNames, SpentCall, SpentDay } from "./report-spend.ts";

/** Describes a call as a spend log row. */
export function describeCall(call: SpentCall): Record<string, unknown> {
  const { startedAtMs, latencyMs, firstTokenMs } = call;
  const at = (ms: number) => new Date(ms).toISOString();
  return {
    request_id: call.requestId,
    call_type: call.endpoint,
    api_key: call.keyHash ?? call.keyId,
    key_alias: call.keyName,
    // LiteLLM's name of the field is user.
    user: call.userId,
    user_id: call.userId,
    team_id: call.teamId,
    organization_id: call.organizationId,
    end_user: call.endUser,
    model: call.model,
    model_group: call.model,
    model_id: call.deploymentId,
    custom_llm_provider: call.provider,
    api_base: null,
    prompt_tokens: call.promptTokens,
    completion_tokens: call.completionTokens,
    total_tokens: call.promptTokens + call.completionTokens,
    cached_tokens: call.cachedTokens,
    reasoning_tokens: call.reasoningTokens,
    spend: usdNumber(call.cost),
    spend_nano_usd: exactNumber(String(call.cost)),
    startTime: at(startedAtMs),
    endTime: at(startedAtMs + latencyMs),
    completionStartTime: firstTokenMs === null ? null : at(startedAtMs + firstTokenMs),
    request_duration_ms: latencyMs,
    status: statuses[call.class],
    status_code: call.httpStatus,
    error_code: call.errorCode,
    // A successful call without an attempt was served from the cache.
    cache_hit: call.class === "succeeded" && call.attempts === 0 ? "True" : "False",
    cache_key: null,
    request_tags: [],
    attempted_retries: Math.max(0, call.attempts - 1),
    attempted_fallbacks: call.fallbackFrom === null ? 0 : 1,
    session_id: call.session,
    trace_id: null,
    requester_ip_address: null,
    metadata: {},
  };
}

/** LiteLLM's status of each class. */
const statuses = {
  succeeded: "success",
  failed: "failure",
  refused: "failure",
  rejected: "failure",
  canceled: "client_disconnect",
} as const;

/** Returns daily totals by team or key, each broken down by key and model. */
export function describeReport(
  days: readonly SpentDay[],
  names: SpendNames,
  grouping: "team" | "api_key",
): readonly object[] {
  const hashOf = (keyId: string) => names.keys.get(keyId)?.hash ?? keyId;
  const ownerOf = (row: SpentDay) => (grouping === "team" ? row.teamId : row.keyId);
  return [...Map.groupBy(days, ({ day }) => day)].map(([day, ofDay]) => {
    const groups = [...Map.groupBy(ofDay, ownerOf)].map(([owner, rows]) => ({
      ...(grouping === "team"
        ? { team_id: owner, team_name: names.teams.get(owner) ?? owner }
        : { api_key: hashOf(owner), key_alias: names.keys.get(owner)?.name ?? null }),
      total_spend: usdNumber(rows.reduce((sum, { cost }) => sum + cost, 0n)),
      metadata: rows.map((row) => ({
        model: row.model,
        spend: usdNumber(row.cost),
        total_tokens: row.promptTokens + row.completionTokens,
        api_key: hashOf(row.keyId),
      })),
    }));
    return { group_by_day: `${day}T00:00:00+00:00`, [grouping === "team" ? "teams" : "api_keys"]: groups };
  });
}
