import { Secret } from "@tollgate/domain/secret.ts";
import type { PreparedTarget, TargetSettings, TransportLayer } from "../../call/provider.ts";
import { type AuthHeader, bearer, prepareTarget } from "../build-request.ts";
import { azureSource } from "../credentials/azure-source.ts";
import { type LibrarySource, sourceLayer } from "../credentials/credential-source.ts";
import { attachToken, rejectsToken } from "../credentials/credential-transport.ts";

const apiKeyHeader: AuthHeader = (secret) => ["api-key", secret];
/** API versions that aren't dates. They select the newer URL format. */
const undated = new Set(["v1", "preview", "latest"]);
/** An Azure cloud. Each cloud issues tokens for its own services. */
interface AzureCloud {
  readonly domain: string;
  /** The URL of the cloud's Entra service; null for the library's default. */
  readonly authorityHost: string | null;
}

const publicCloud: AzureCloud = { domain: ".azure.com", authorityHost: null };
const nationalClouds: readonly AzureCloud[] = [
  { domain: ".azure.us", authorityHost: "https://login.microsoftonline.us" },
  { domain: ".azure.cn", authorityHost: "https://login.chinacloudapi.cn" },
];

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

/** Adds a Microsoft Entra token to requests. Returns null if the settings contain a key or a token. */
export function entraLayer(target: TargetSettings): TransportLayer | null {
  const source = entraCredentialSource(target);
  return source === null ? null : sourceLayer(source, target, attachToken, rejectsToken);
}

/** Returns the source of a deployment's Entra tokens, or null if the settings contain a key or a token. */
export function entraCredentialSource(target: TargetSettings): LibrarySource<string> | null {
  const { apiKey, options, apiBase, fileModelName } = target;
  if (apiKey !== null || options.azure_ad_token !== undefined || fileModelName == null) return null;
  const host = URL.parse(apiBase ?? "")?.hostname ?? "";
  const cloud = nationalClouds.find(({ domain }) => host.endsWith(domain)) ?? publicCloud;
  return azureSource({
    tenantId: textOf(options.tenant_id),
    clientId: textOf(options.client_id),
    clientSecret: textOf(options.client_secret),
    scope: `https://cognitiveservices${cloud.domain}/.default`,
    authorityHost: cloud.authorityHost,
  });
}

function textOf(option: string | Secret | undefined): string | null {
  const text = option instanceof Secret ? option.reveal() : (option ?? "");
  return text === "" ? null : text;
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
