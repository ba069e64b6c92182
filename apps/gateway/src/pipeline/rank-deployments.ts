import { Failure } from "@tollgate/contracts/failures.ts";
import type { RankTarget } from "@tollgate/domain/routing/route-types.ts";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import { differencesAmong } from "../models/group-differences.ts";
import { AUDIO_INPUT, RESPONSE_SCHEMA, VISION } from "../models/missing-params.ts";
import { CHAT_LIMITS } from "../operations/estimate-input.ts";
import { isAllowedParam, isHarmless } from "../providers/fit-parameters.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a request needs and only some deployments of its group have. */
interface Needs {
  readonly params: readonly string[];
  readonly features: number;
  readonly outputTokens: number;
}

/**
 * Returns a function that ranks the deployments of a call's group by what the request needs, or null if the request
 * needs only what all of them have. Most groups have deployments with the same abilities, and are not looked at.
 */
export function rankDeployments(call: Call): RankTarget | null {
  const needs = needsOf(call);
  return needs === null ? null : (target) => rank(call, target as Deployment, needs);
}

/** Returns the failure of a call that no deployment of its group can serve. It names the fields and the deployments. */
export function unsupportedByAll(call: Call): Failure {
  const { targets, shownName } = call.model;
  const missing = targets.map((target) => missingIn(call, target));
  const listed = targets.slice(0, MAX_LISTED).map(({ id }, index) => {
    const param = missing[index];
    return `'${id}' does not support ${param == null ? "this operation" : `'${param}'`}`;
  });
  return new Failure(
    "unsupported_parameter",
    `No deployment of '${shownName}' supports this request: ${listed.join(", ")}.`,
    { param: missing.find((param) => param !== null) ?? "model", fix: "Remove the fields, or send drop_params: true." },
  );
}

/** Maximum number of deployments that an error message names. */
export const MAX_LISTED = 5;

/** Returns a parameter of the request that a deployment doesn't support; null if there is none. */
export function missingIn(call: Call, target: Deployment): string | null {
  const needs = needsOf(call);
  return needs === null ? null : (unsupportedIn(call, target, needs.params) ?? null);
}

function needsOf(call: Call): Needs | null {
  const differences = differencesAmong(call.model.targets, call.operation);
  if (differences === null) return null;
  const { members, request, dropped } = call.body;
  const params: string[] = [];
  for (const { name } of members) {
    if (!differences.params.has(name) || dropped.has(name)) continue;
    const value = (request as Fields)[name];
    if (value != null && !isHarmless(name, value)) params.push(name);
  }
  const features = differences.features === 0 ? 0 : differences.features & featuresOf(call);
  const outputTokens = requestedOutput(call);
  const isServedByAll = params.length === 0 && features === 0 && outputTokens <= differences.smallestOutput;
  return isServedByAll && differences.isOfferedByAll ? null : { params, features, outputTokens };
}

function rank(call: Call, target: Deployment, needs: Needs): 0 | 1 | 2 {
  const offered = target.offers[call.operation];
  if (offered === undefined) return 2;
  const isDropped = unsupportedIn(call, target, needs.params) !== undefined;
  if (isDropped && !(call.body.request.drop_params ?? target.dropsParams)) return 2;
  // The provider decides about content and limits, because the catalog may be outdated. But a deployment that is known
  // to support them comes first.
  const isUnlikely =
    (offered.missingFeatures & needs.features) !== 0 ||
    (target.facts.maxOutputTokens !== null && needs.outputTokens > target.facts.maxOutputTokens);
  return isDropped || isUnlikely ? 1 : 0;
}

function unsupportedIn(call: Call, target: Deployment, params: readonly string[]): string | undefined {
  const offered = target.offers[call.operation];
  return params.find((name) => offered?.unsupportedParams.has(name) === true && !isAllowedParam(name, call, target));
}

function featuresOf({ parts, body }: Call): number {
  const format = (body.request as { readonly response_format?: { readonly type?: unknown } | null }).response_format;
  return (
    (parts.images > 0 ? VISION : 0) |
    (parts.hasAudio ? AUDIO_INPUT : 0) |
    (format?.type === "json_schema" ? RESPONSE_SCHEMA : 0)
  );
}

function requestedOutput({ kind, body }: Call): number {
  for (const name of kind.limitParams ?? CHAT_LIMITS) {
    const value = (body.request as Fields)[name];
    if (typeof value === "number") return value;
  }
  return 0;
}
