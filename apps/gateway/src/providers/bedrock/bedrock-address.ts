import { Secret } from "@tollgate/domain/secret.ts";
import type { TargetSettings } from "../../call/provider.ts";

/** Default region if none is configured (same as LiteLLM). */
const DEFAULT_REGION = "us-west-2";
/** `arn:aws:bedrock:eu-central-1:123456789012:inference-profile/…` */
const ARN = /^arn:[^:]*:bedrock:([^:]+):/;
const ADDRESS = /^https:\/\/bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./;
/** Match the route and region prefixes that some configurations put before the model name. */
const ROUTE = /^(?:converse|converse_like)\//;
const REGION_PREFIX = /^([a-z]{2,4}(?:-[a-z]+)+-\d)\//;

/** Domains of AWS partitions other than the default partition. */
const domains: readonly (readonly [region: string, domain: string])[] = [
  ["cn-", "amazonaws.com.cn"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["eusc-", "amazonaws.eu"],
];

/** Returns the region for a deployment's calls, based on the deployment's options, base URL, or model name. */
export function regionOf({ options, apiBase, upstreamModel }: TargetSettings): string {
  const named = options.aws_region_name;
  if (typeof named === "string") return named;
  const model = upstreamModel.replace(ROUTE, "");
  const written = ADDRESS.exec(apiBase ?? "")?.[1] ?? ARN.exec(model)?.[1] ?? REGION_PREFIX.exec(model)?.[1];
  return written ?? DEFAULT_REGION;
}

/** Returns the Bedrock runtime URL for the target's region. */
export function bedrockAddress(target: TargetSettings): string {
  const given = target.options.aws_bedrock_runtime_endpoint;
  if (given !== undefined) return given instanceof Secret ? given.reveal() : given;
  const region = regionOf(target);
  const domain = domains.find(([prefix]) => region.startsWith(prefix))?.[1] ?? "amazonaws.com";
  return `https://bedrock-runtime.${region}.${domain}`;
}

/** Returns a model's ID or ARN, without a route or region prefix. */
export function modelIdOf(upstreamModel: string): string {
  return upstreamModel.replace(ROUTE, "").replace(REGION_PREFIX, "");
}

/**
 * Returns the name of a model in model lists. An ARN ends with this name, unless it is the ARN of an operator's own
 * profile.
 */
export function listedNameOf(upstreamModel: string): string {
  const id = modelIdOf(upstreamModel);
  return ARN.test(id) ? id.slice(id.lastIndexOf("/") + 1) : id;
}

/**
 * Returns the path of a model's operation. The model name may come from a client, so it is encoded as one path segment.
 */
export function modelPath(upstreamModel: string, operation: string): string {
  return `/model/${encodeURIComponent(modelIdOf(upstreamModel))}/${operation}`;
}
