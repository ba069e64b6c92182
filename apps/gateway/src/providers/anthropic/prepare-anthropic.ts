import type { PreparedTarget, TargetSettings } from "../../call/provider.ts";
import { type AuthHeader, prepareTarget } from "../build-request.ts";

/** The API version that this translation is written for. */
const API_VERSION = "2023-06-01";

const apiKeyHeader: AuthHeader = (secret) => ["x-api-key", secret];

/** Prepares the data that all calls to an Anthropic model share. */
export function prepareAnthropic({ upstreamModel, apiBase, apiKey, apiVersion }: TargetSettings): PreparedTarget {
  return {
    ...prepareTarget(upstreamModel, apiKey, apiKeyHeader, ["anthropic-version", apiVersion ?? API_VERSION]),
    // Some operators include the version path in the URL, as with other providers.
    path: { prefix: apiBase?.replace(/\/+$/, "").endsWith("/v1") ? "" : "/v1", suffix: "" },
  };
}
