import { redisUrl } from "./redis-url.ts";
import { callTypes, type GatewaySection } from "./schema/gateway-section.ts";
import type { CacheSettings, CostAdjustment, GatewaySettings } from "./settings.ts";

/** Converts the `gw_settings` section to the names used in code. */
export function buildGateway(section: GatewaySection, isBilled: boolean): GatewaySettings {
  return {
    dropParams: section.drop_params,
    requestTimeoutSeconds: section.request_timeout,
    unknownParams: section.unknown_params ?? (isBilled ? "reject" : "forward"),
    errorCodeStyle: section.error_code_style,
    cache: buildCache(section),
    enableJsonSchemaValidation: section.enable_json_schema_validation,
    includeCostInStreamingUsage: section.include_cost_in_streaming_usage,
    disableTokenCounter: section.disable_token_counter,
    emulateN: section.emulate_n,
    allowMock: section.allow_mock,
    maxBudgetNanoUsd: section.max_budget,
    budgetDuration: section.budget_duration,
    costMargin: buildAdjustments(section.cost_margin),
    costDiscount: buildAdjustments(section.cost_discount),
  };
}

function buildCache({ cache, cache_params: params }: GatewaySection): CacheSettings {
  return {
    enabled: cache,
    type: params.type === "redis" ? "redis" : "memory",
    ttlSeconds: params.ttl,
    namespace: params.namespace,
    mode: params.mode,
    supportedCallTypes: [...new Set(params.supported_call_types.map((name) => callTypes[name]))],
    scope: params.scope,
    redisUrl: redisUrl(params),
  };
}

function buildAdjustments(written: GatewaySection["cost_margin"]): Readonly<Record<string, CostAdjustment>> {
  const adjustments = Object.entries(written).map(([provider, value]) => {
    const isShare = value === null || typeof value === "bigint";
    const shareMillionths = (isShare ? value : value.percentage) ?? 0n;
    const fixedNanoUsd = (isShare ? null : value.fixed_amount) ?? 0n;
    return [provider, { shareMillionths, fixedNanoUsd }] as const;
  });
  return Object.fromEntries(adjustments);
}
