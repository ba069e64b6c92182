import { Secret } from "@tollgate/domain/secret.ts";
import { type AuthHeader, bearer, prepareTarget } from "../prepare-target.ts";
import type { PreparedTarget, TargetSettings } from "../provider.ts";

const apiKeyHeader: AuthHeader = (secret) => ["api-key", secret];
/** Words that stand for the form of the address that has no dated versions. */
const undated = new Set(["v1", "preview", "latest"]);

/**
 * What calls to a deployment of Azure share. A dated version names the deployment in the path; without one the newer
 * form is used, in which the deployment is the model of the body, as it is with OpenAI.
 */
export function prepareAzure(target: TargetSettings): PreparedTarget {
  const token = target.options.azure_ad_token;
  const [key, auth] =
    token === undefined
      ? ([target.apiKey, apiKeyHeader] as const)
      : ([token instanceof Secret ? token : new Secret(token), bearer] as const);
  return { ...prepareTarget(target.upstreamModel, key, auth), path: pathOf(target) };
}

/** Whether the address is of the older form, which has a version for each date and no responses. */
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

/** How much of the path an address already ends with: operators write it down to the resource, or further. */
function overlap(given: string, whole: string): number {
  for (let length = whole.length; length > 0; length -= 1) {
    const isAtSegment = length === whole.length || whole[length] === "/";
    if (isAtSegment && given.endsWith(whole.slice(0, length))) return length;
  }
  return 0;
}
