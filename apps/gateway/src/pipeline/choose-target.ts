import { Failure } from "@tollgate/contracts/failures.ts";
import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import { CallRoute } from "@tollgate/domain/routing/call-route.ts";
import { canChoose, chooseTarget, RouteRefusal } from "@tollgate/domain/routing/choose-target.ts";
import { type FallbackLists, noRoutingOptions, type RoutingOptions } from "@tollgate/domain/routing/route-types.ts";
import type { SessionPins } from "@tollgate/domain/routing/session-pins.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { beginAttempt, type Call, inStage } from "../call/call.ts";
import type { CallBody } from "../call/call-body.ts";
import type { ChosenModel } from "../call/chosen-model.ts";
import type { Deployment } from "../call/deployment.ts";
import type { ModelLookup } from "../models/model-lookup.ts";
import { isSameAccount } from "../models/own-key.ts";
import { estimateInput } from "../operations/estimate-input.ts";
import { rankDeployments, unsupportedByAll } from "./rank-deployments.ts";
import { nameOf, readRetriesHeader } from "./read-call.ts";
import { randomOf, sessionOf } from "./session-of.ts";

/** Dependencies of routing. */
export interface RouteContext {
  readonly settings: Settings;
  readonly models: ModelLookup;
  /** Unix time in milliseconds, because replicas share rate windows and cooldowns. */
  readonly nowMs: number;
  readonly random: () => number;
  /** The deployments of sessions, whose prompts the provider has cached there. */
  readonly pins: SessionPins;
}

/**
 * Chooses the first deployment for a call and begins the attempt. Throws if neither the group nor a fallback has an
 * available deployment.
 */
export function chooseFirst(call: Call, context: RouteContext): Deployment {
  const { nowMs, random, pins } = context;
  const options = routingOptionsOf(call, context.settings);
  const session = pins.isOn ? sessionOf(call) : 0;
  const choice =
    session === 0
      ? chooseTarget(call.model, options, nowMs, random)
      : chooseForSession(call, session, options, context);
  if (choice instanceof RouteRefusal) return chooseInstead(call, choice, options, context);
  call.model.budget.noteCall(nowMs);
  beginAttempt(call, choice, nowMs);
  return choice;
}

/**
 * Chooses the deployment that served the session before, if it can serve this call. A new session gets a deployment by
 * the usual rules, but the same one in every process, because other processes may not know of it yet.
 */
function chooseForSession(
  call: Call,
  session: number,
  options: RoutingOptions,
  { pins, nowMs }: RouteContext,
): Deployment | RouteRefusal {
  inStage(call, "routed").session = session;
  const { model } = call;
  const pinnedId = pins.find(session, nowMs);
  const pinned = pinnedId === null ? undefined : model.targets.find(({ id }) => id === pinnedId);
  if (pinned !== undefined && canChoose(model, pinned, options, nowMs)) return pinned;
  const choice = chooseTarget(model, options, nowMs, randomOf(session));
  if (!(choice instanceof RouteRefusal)) pins.pin(session, choice.id, nowMs);
  return choice;
}

/** Creates a call's route after its first failure. */
function routeOf(call: Call, target: Deployment | null, options: RoutingOptions, context: RouteContext) {
  const { settings, models } = context;
  return new CallRoute<Deployment>({
    group: call.model,
    target,
    options,
    deadlineMs: call.exchange.admittedAtMs + settings.router.totalTimeoutSeconds * 1_000,
    findGroup: (name, isFromRequest) => findGroup(models, call, name, isFromRequest),
  });
}

/** Switches the call to a fallback group, which the response names. */
export function fallBackTo(call: Call, model: ChosenModel): void {
  inStage(call, "routed").fallbackFrom ??= call.model.name;
  inStage(call, "routed").model = model;
  const ownBody = call.fallbackBodies?.get(model.shownName) ?? call.cacheEntry?.wholeBody ?? null;
  if (ownBody !== null) call.useBody(ownBody);
}

/** Undoes a switch to a fallback group that can't be called after all. */
export function returnTo(call: Call, model: ChosenModel, body: CallBody, fallbackFrom: string | null): void {
  inStage(call, "routed").model = model;
  call.useBody(body);
  inStage(call, "routed").fallbackFrom = fallbackFrom;
}

/** Returns the call's route, which begins with its first failure. */
export function startRoute(call: Call, failed: Deployment, context: RouteContext): CallRoute<Deployment> {
  const route = call.route ?? routeOf(call, failed, routingOptionsOf(call, context.settings), context);
  inStage(call, "routed").route = route;
  return route;
}

/** Ends the route of a call, if it has one, and counts its attempts. */
export function endRoute(call: Call): void {
  const { route } = call;
  if (route === null) return;
  route.end();
  const routed = inStage(call, "routed");
  routed.retries = route.retries;
  routed.maxRetries = route.maxRetries;
  routed.fallbacks = route.fallbacks;
}

/** Chooses a fallback if all deployments of the group are in cooldown. Throws if there is no fallback. */
function chooseInstead(call: Call, refusal: RouteRefusal, options: RoutingOptions, context: RouteContext): Deployment {
  const route = routeOf(call, null, options, context);
  const step = route.next(refusal, context.nowMs, context.random);
  if (step.kind === "stop") throw describeRefusal(refusal, call);
  inStage(call, "routed").route = route;
  if (step.isFallback) fallBackTo(call, step.group as ChosenModel);
  beginAttempt(call, step.target, context.nowMs);
  return step.target;
}

function findGroup(models: ModelLookup, call: Call, name: string, isFromRequest: boolean): ChosenModel | null {
  try {
    if (call.ownKey !== null) return findOwnGroup(models, call, name, call.ownKey);
    return isFromRequest ? models.find(call.caller, name) : models.findConfigured(call.caller, name);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

/** Finds a fallback for a call with the caller's own key, which must not reach another provider. */
function findOwnGroup(models: ModelLookup, call: Call, name: string, ownKey: Secret): ChosenModel | null {
  const group = models.findWithOwnKey(call.caller, name, ownKey);
  const [first] = group.targets;
  const [current] = call.model.targets;
  return first !== undefined && current !== undefined && isSameAccount(first, current) ? group : null;
}

/** Converts a routing refusal into the failure that the caller gets. */
function describeRefusal({ reason, retryAfterMs }: RouteRefusal, call: Call): Failure {
  const name = call.model.shownName;
  const facts = retryAfterMs === null ? {} : { retryAfterMs };
  switch (reason) {
    case "no_targets":
      return new Failure("model_not_found", `Model '${name}' has no deployments.`, { param: "model" });
    case "tags":
      return new Failure("tag_not_allowed", `No deployment of '${name}' has these tags.`, {
        param: "tags",
        fix: "Change or remove the tags, or ask an administrator to tag a deployment.",
      });
    case "region":
      return new Failure("tag_not_allowed", `No deployment of '${name}' is in an allowed region.`, {
        param: "allowed_model_region",
      });
    case "unsupported":
      return unsupportedByAll(call);
    case "context_window":
      return new Failure(
        "context_length_exceeded",
        `The prompt exceeds the context window of every deployment of '${name}'.`,
        {
          param: "messages",
        },
      );
    default:
      return new Failure(
        "no_deployments_available",
        `Every deployment of '${name}' is in cooldown after failures or at its rate limit.`,
        { ...facts, fix: "Retry after the time in the retry-after header, or list other models in 'fallbacks'." },
      );
  }
}

const streamOptions: RoutingOptions = { ...noRoutingOptions, isStream: true };

/** Returns the routing options of a call. Most calls set no options and can be served by every deployment. */
function routingOptionsOf(call: Call, settings: Settings): RoutingOptions {
  const options = requestedOptions(call, settings);
  const rank = rankDeployments(call);
  return rank === null ? options : { ...options, rank };
}

function requestedOptions(call: Call, settings: Settings): RoutingOptions {
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
    numRetries:
      request.num_retries == null
        ? readRetriesHeader("x-gw-num-retries", headers.numRetries)
        : Math.max(0, request.num_retries),
    fallbacks: request.fallbacks == null ? null : request.fallbacks.map((fallback) => textOf(nameOf(fallback))),
    contextWindowFallbacks:
      request.context_window_fallback_dict == null
        ? joinLists(request.context_window_fallbacks)
        : dictionaryLists(request.context_window_fallback_dict),
    contentPolicyFallbacks: joinLists(request.content_policy_fallbacks),
    disableFallbacks: request.disable_fallbacks === true,
    rank: null,
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
