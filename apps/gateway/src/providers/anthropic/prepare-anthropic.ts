import { type AuthHeader, prepareTarget } from "../prepare-target.ts";
import type { PreparedTarget, TargetSettings } from "../provider.ts";

/** The version of the interface that this dialect is written for. */
const API_VERSION = "2023-06-01";

const apiKeyHeader: AuthHeader = (secret) => ["x-api-key", secret];

/** What calls to a model of Anthropic's share. */
export function prepareAnthropic({ upstreamModel, apiBase, apiKey, apiVersion }: TargetSettings): PreparedTarget {
  return {
    ...prepareTarget(upstreamModel, apiKey, apiKeyHeader, ["anthropic-version", apiVersion ?? API_VERSION]),
    // Some write the version of the paths into the address, as they do for other providers.
    path: { prefix: apiBase?.replace(/\/+$/, "").endsWith("/v1") ? "" : "/v1", suffix: "" },
  };
}
