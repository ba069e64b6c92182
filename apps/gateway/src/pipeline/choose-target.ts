import { Failure } from "@tollgate/contracts/failures.ts";
import { CallRoute } from "@tollgate/domain/routing/call-route.ts";
import { chooseTarget, RouteRefusal } from "@tollgate/domain/routing/choose-target.ts";
import type { RoutingOptions } from "@tollgate/domain/routing/route-types.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { ChosenModel } from "../model-list/find-model.ts";
import type { ModelLookup } from "../model-list/model-lookup.ts";
import type { Call } from "./call.ts";
import { routingOptionsOf } from "./upstream/routing-options-of.ts";

/** Dependencies of routing. */
export interface RouteContext {
  readonly settings: Settings;
  readonly models: ModelLookup;
  /** Unix time in milliseconds, because replicas share rate windows and cooldowns. */
  readonly nowMs: number;
  readonly random: () => number;
}

/**
 * Chooses the first deployment for a call and begins the attempt. Throws if neither the group nor a fallback has an
 * available deployment.
 */
export function chooseFirst(call: Call, context: RouteContext): Deployment {
  const { nowMs, random } = context;
  const options = routingOptionsOf(call, context.settings);
  const choice = chooseTarget(call.model, options, nowMs, random);
  if (choice instanceof RouteRefusal) return chooseInstead(call, choice, options, context);
  call.model.budget.noteCall(nowMs);
  beginAttempt(call, choice, nowMs);
  return choice;
}

/** Creates a call's route after its first failure. */
export function routeOf(call: Call, target: Deployment | null, options: RoutingOptions, context: RouteContext) {
  const { settings, models } = context;
  return new CallRoute<Deployment>({
    group: call.model,
    target,
    options,
    deadlineMs: call.exchange.admittedAtMs + settings.router.totalTimeoutSeconds * 1_000,
    findGroup: (name, isFromRequest) => findGroup(models, call, name, isFromRequest),
  });
}

/** Begins an attempt on a deployment. */
export function beginAttempt(call: Call, target: Deployment, nowMs: number): void {
  call.target = target;
  call.isProbe = target.state.begin(nowMs);
}

/** Ends the current attempt, regardless of its outcome. */
export function endAttempt(call: Call): void {
  const { target } = call;
  if (target === null) return;
  call.target = null;
  target.state.end(call.isProbe);
}

/** Switches the call to a fallback group, which the response names. */
export function fallBackTo(call: Call, model: ChosenModel): void {
  call.fallbackFrom ??= call.model.name;
  call.model = model;
  const ownBody = call.fallbackBodies?.get(model.shownName) ?? call.cacheEntry?.wholeBody ?? null;
  if (ownBody !== null) call.useBody(ownBody);
}

/** Chooses a fallback if all deployments of the group are in cooldown. Throws if there is no fallback. */
function chooseInstead(call: Call, refusal: RouteRefusal, options: RoutingOptions, context: RouteContext): Deployment {
  const route = routeOf(call, null, options, context);
  const step = route.next(refusal, context.nowMs, context.random);
  if (step.kind === "stop") throw describeRefusal(refusal, call);
  call.route = route;
  if (step.isFallback) fallBackTo(call, step.group as ChosenModel);
  beginAttempt(call, step.target, context.nowMs);
  return step.target;
}

function findGroup(models: ModelLookup, call: Call, name: string, isFromRequest: boolean): ChosenModel | null {
  try {
    return isFromRequest ? models.find(call.caller, name) : models.findConfigured(call.caller, name);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
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
