import { Failure } from "@tollgate/contracts/failures.ts";
import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import { type FallbackLists, noRoutingOptions, type RoutingOptions } from "@tollgate/domain/routing/route-types.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { estimateInput } from "../account/estimate-call.ts";
import { readRetriesHeader } from "../body/read-number-header.ts";
import type { Call } from "../call.ts";
import { nameOf } from "../read-call.ts";

const streamOptions: RoutingOptions = { ...noRoutingOptions, isStream: true };

/** Returns the routing options of a call. Most calls set no options. */
export function routingOptionsOf(call: Call, settings: Settings): RoutingOptions {
  const { router } = settings;
  const { headers } = call.exchange;
  const { request, dropped } = call.body;
  // All fields that affect routing are gateway fields, which are dropped from the upstream request.
  const isPlain =
    dropped.size === 0 && headers.tags === null && headers.numRetries === null && !router.enablePreCallChecks;
  if (isPlain && call.caller.tags.length === 0) return call.isStream ? streamOptions : noRoutingOptions;
  return {
    tags: tagsOf(call, settings),
    regions: regionsOf(request),
    inputTokens: smallestInput(call),
    isStream: call.isStream,
    wantsResponseSchema: wantsSchema(request) && !(request.drop_params ?? settings.gateway.dropParams),
    numRetries: request.num_retries ?? readRetriesHeader("x-gw-num-retries", headers.numRetries),
    fallbacks: request.fallbacks == null ? null : request.fallbacks.map((fallback) => textOf(nameOf(fallback))),
    contextWindowFallbacks:
      request.context_window_fallback_dict == null
        ? joinLists(request.context_window_fallbacks)
        : dictionaryLists(request.context_window_fallback_dict),
    contentPolicyFallbacks: joinLists(request.content_policy_fallbacks),
    disableFallbacks: request.disable_fallbacks === true,
  };
}

function tagsOf(call: Call, settings: Settings): readonly string[] {
  const { request } = call.body;
  const inMetadata = (request.metadata as { readonly tags?: unknown } | null | undefined)?.tags;
  const sent = [
    ...(request.tags ?? []),
    ...(Array.isArray(inMetadata) ? inMetadata.filter((tag) => typeof tag === "string") : []),
    ...(call.exchange.headers.tags?.split(",").map((tag) => tag.trim()) ?? []),
  ].filter((tag) => tag !== "");
  if (sent.length > 0 && settings.general.rejectClientsideMetadataTags) {
    throw new Failure("invalid_request", "Tags are not allowed in requests. Ask an administrator to tag the key.", {
      param: "tags",
    });
  }
  return [...new Set([...sent.map(textOf), ...call.caller.tags])];
}

function regionsOf(request: InferenceRequest): readonly string[] | null {
  const asked = request.allowed_model_region;
  if (asked == null) return null;
  return typeof asked === "string" ? [asked] : asked;
}

/** Estimates the prompt length that pre-call checks compare with a model's limit. */
function smallestInput(call: Call): number {
  const [first] = call.model.targets;
  return first === undefined ? 0 : estimateInput(call, { ...first, facts: { ...first.facts, maxInputTokens: null } });
}

function wantsSchema(request: InferenceRequest): boolean {
  const format = (request as { readonly response_format?: { readonly type?: unknown } | null }).response_format;
  return format?.type === "json_schema";
}

/** Maximum number of names per fallback list. Each unknown name takes time to look up. */
const MAX_NAMES = 8;

/** Joins lists of the form `[{group: [others]}]`, as in the settings. Ignores all other values. */
function joinLists(written: readonly object[] | null | undefined): FallbackLists | null {
  if (written == null) return null;
  const entries = written.flatMap((part) => Object.entries(part));
  const lists = entries.map(([group, targets]) => [
    textOf(group),
    Array.isArray(targets) ? targets.slice(0, MAX_NAMES).map(String).map(textOf) : [],
  ]);
  return Object.fromEntries(lists) as FallbackLists;
}

function dictionaryLists(written: object): FallbackLists {
  return Object.fromEntries(Object.entries(written).map(([group, other]) => [textOf(group), [textOf(String(other))]]));
}

/** Decodes a request string that was read as bytes. */
function textOf(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}
