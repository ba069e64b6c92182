import { Secret } from "@tollgate/domain/secret.ts";
import type { TargetSettings } from "../provider.ts";

/** Where files that name no region mean, by the habit of those who come from LiteLLM. */
const DEFAULT_REGION = "us-west-2";
/** `arn:aws:bedrock:eu-central-1:123456789012:inference-profile/…` */
const ARN = /^arn:[^:]*:bedrock:([^:]+):/;
const ADDRESS = /^https:\/\/bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./;
/** How a model was to be called, and where, as some files write before its name. */
const ROUTE = /^(?:converse|converse_like)\//;
const REGION_PREFIX = /^([a-z]{2,4}(?:-[a-z]+)+-\d)\//;

/** Other parts of the world have their own ends of Amazon's names. */
const domains: readonly (readonly [region: string, domain: string])[] = [
  ["cn-", "amazonaws.com.cn"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["eusc-", "amazonaws.eu"],
];

/** The region a deployment's calls are for: what the settings say of it in one way or another. */
export function regionOf({ options, apiBase, upstreamModel }: TargetSettings): string {
  const named = options.aws_region_name;
  if (typeof named === "string") return named;
  const model = upstreamModel.replace(ROUTE, "");
  const written = ADDRESS.exec(apiBase ?? "")?.[1] ?? ARN.exec(model)?.[1] ?? REGION_PREFIX.exec(model)?.[1];
  return written ?? DEFAULT_REGION;
}

/** Where Amazon's models of a region are called. */
export function bedrockAddress(target: TargetSettings): string {
  const given = target.options.aws_bedrock_runtime_endpoint;
  if (given !== undefined) return given instanceof Secret ? given.reveal() : given;
  const region = regionOf(target);
  const domain = domains.find(([prefix]) => region.startsWith(prefix))?.[1] ?? "amazonaws.com";
  return `https://bedrock-runtime.${region}.${domain}`;
}

/** A model's id or ARN, without what files write before it. */
export function modelIdOf(upstreamModel: string): string {
  return upstreamModel.replace(ROUTE, "").replace(REGION_PREFIX, "");
}

/** The name that lists of models know a model by: ARNs end in it, unless they are of profiles that an operator made. */
export function listedNameOf(upstreamModel: string): string {
  const id = modelIdOf(upstreamModel);
  return ARN.test(id) ? id.slice(id.lastIndexOf("/") + 1) : id;
}

/** The path of a model's operation. The name may come from a client, so nothing of it can leave its place in the path. */
export function modelPath(upstreamModel: string, operation: string): string {
  return `/model/${encodeURIComponent(modelIdOf(upstreamModel))}/${operation}`;
}
