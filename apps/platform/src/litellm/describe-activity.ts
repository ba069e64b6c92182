import { usdNumber } from "@tollgate/domain/exact-number.ts";
import type { PageParams } from "./page-headers.ts";
import type { SpendNames, SpentDay } from "./report-spend.ts";

/** Returns daily totals by model, provider, key, and team, latest day first, and the totals for all days. */
export function describeActivity(
  days: readonly SpentDay[],
  names: SpendNames,
  { page, pageSize }: PageParams,
): Record<string, unknown> {
  const byDay = [...Map.groupBy(days, ({ day }) => day)].toSorted(([one], [other]) => (one < other ? 1 : -1));
  const totalPages = Math.ceil(byDay.length / pageSize);
  const totals = metricsOf(days);
  return {
    results: byDay.slice((page - 1) * pageSize, page * pageSize).map(([date, rows]) => ({
      date,
      metrics: metricsOf(rows),
      breakdown: {
        models: split(rows, ({ model }) => model),
        providers: split(rows, ({ provider }) => provider),
        api_keys: split(
          rows,
          ({ keyId }) => names.keys.get(keyId)?.hash ?? keyId,
          ({ keyId }) => ({
            key_alias: names.keys.get(keyId)?.name ?? null,
            team_id: names.keys.get(keyId)?.teamId ?? null,
          }),
        ),
        entities: split(
          rows,
          ({ teamId }) => teamId,
          ({ teamId }) => ({ team_alias: names.teams.get(teamId) ?? null }),
        ),
      },
    })),
    metadata: {
      total_spend: totals.spend,
      total_prompt_tokens: totals.prompt_tokens,
      total_completion_tokens: totals.completion_tokens,
      total_tokens: totals.total_tokens,
      total_api_requests: totals.api_requests,
      total_successful_requests: totals.successful_requests,
      total_failed_requests: totals.failed_requests,
      total_cache_read_input_tokens: totals.cache_read_input_tokens,
      page,
      total_pages: totalPages,
      has_more: page < totalPages,
    },
  };
}

function split(
  rows: readonly SpentDay[],
  nameOf: (row: SpentDay) => string,
  describe: (row: SpentDay) => object = () => ({}),
): Record<string, object> {
  return Object.fromEntries(
    [...Map.groupBy(rows, nameOf)].map(([name, own]) => [
      name,
      { metrics: metricsOf(own), metadata: describe(own[0] as SpentDay) },
    ]),
  );
}

function metricsOf(rows: readonly SpentDay[]) {
  const sum = (pick: (row: SpentDay) => number) => rows.reduce((total, row) => total + pick(row), 0);
  const prompt = sum(({ promptTokens }) => promptTokens);
  const completion = sum(({ completionTokens }) => completionTokens);
  // LiteLLM knows two outcomes: a client that disconnects does not make a request fail, and a refusal does.
  const successful = sum(({ succeeded, canceled }) => succeeded + canceled);
  const failed = sum((row) => row.failed + row.refused + row.rejected);
  return {
    spend: usdNumber(rows.reduce((total, { cost }) => total + cost, 0n)),
    prompt_tokens: prompt,
    completion_tokens: completion,
    cache_read_input_tokens: sum(({ cachedTokens }) => cachedTokens),
    total_tokens: prompt + completion,
    successful_requests: successful,
    failed_requests: failed,
    api_requests: successful + failed,
  };
}
