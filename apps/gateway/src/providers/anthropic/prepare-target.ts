import { toJsonBytes } from "../openai/edit-body.ts";
import type { PreparedTarget, TargetSettings } from "../provider.ts";

/** The version of the interface that this dialect is written for. */
const API_VERSION = "2023-06-01";

/** What every call to this model sends alike. The count of hops stands last, where a call can replace it. */
export function prepareTarget({ upstreamModel, apiBase, apiKey, apiVersion }: TargetSettings): PreparedTarget {
  const headers = (...accept: readonly string[]): readonly string[] => [
    "content-type",
    "application/json",
    ...accept,
    // Nothing is ever decompressed in this process.
    "accept-encoding",
    "identity",
    "anthropic-version",
    apiVersion ?? API_VERSION,
    ...(apiKey === null ? [] : ["x-api-key", apiKey.reveal()]),
    "x-gw-hops",
    "1",
  ];
  return {
    modelJson: toJsonBytes(upstreamModel),
    headers: headers(),
    streamHeaders: headers("accept", "text/event-stream"),
    // Some write the version of the paths into the address, as they do for other providers.
    path: { prefix: apiBase?.replace(/\/+$/, "").endsWith("/v1") ? "" : "/v1", suffix: "" },
  };
}
