import { Secret } from "@tollgate/domain/secret.ts";
import type { PreparedTarget, TargetSettings } from "../../call/provider.ts";
import { type AuthHeader, bearer, prepareTarget } from "../build-request.ts";

const apiKeyHeader: AuthHeader = (secret) => ["api-key", secret];
/** API versions that aren't dates. They select the newer URL format. */
const undated = new Set(["v1", "preview", "latest"]);

/**
 * Prepares the data that all calls to an Azure deployment share. If the API version is a date, the path contains the
 * deployment name. Otherwise, the newer URL format is used, and the deployment name is the `model` in the body, as with
 * OpenAI.
 */
export function prepareAzure(target: TargetSettings): PreparedTarget {
  const token = target.options.azure_ad_token;
  const [key, auth] =
    token === undefined
      ? ([target.apiKey, apiKeyHeader] as const)
      : ([token instanceof Secret ? token : new Secret(token), bearer] as const);
  return { ...prepareTarget(target.upstreamModel, key, auth), path: pathOf(target) };
}

/**
 * Reports whether the API version is a date. Such a version uses the older URL format and doesn't support the Responses
 * API.
 */
export function isDatedVersion(apiVersion: string | null): boolean {
  const version = apiVersion?.trim() ?? "";
  return version !== "" && !undated.has(version);
}

function pathOf({ apiBase, apiVersion, upstreamModel }: TargetSettings): NonNullable<PreparedTarget["path"]> {
  const given = new URL(apiBase ?? "https://azure.invalid").pathname.replace(/\/+$/, "");
  const version = apiVersion?.trim() ?? "";
  const isDated = isDatedVersion(apiVersion) && !given.endsWith("/openai/v1");
  const whole = isDated ? `/openai/deployments/${encodeURIComponent(upstreamModel)}` : "/openai/v1";
  const query = isDated || version === "preview" ? `?api-version=${encodeURIComponent(version)}` : "";
  const namesDeployment = /\/openai\/deployments\/[^/]+$/.test(given);
  return { prefix: namesDeployment ? "" : whole.slice(overlap(given, whole)), suffix: query };
}

/**
 * Returns the length of the longest path prefix that the base URL already ends with. Some operators configure only the
 * resource URL, and others include part of the path.
 */
function overlap(given: string, whole: string): number {
  for (let length = whole.length; length > 0; length -= 1) {
    const isAtSegment = length === whole.length || whole[length] === "/";
    if (isAtSegment && given.endsWith(whole.slice(0, length))) return length;
  }
  return 0;
}
