import { Failure } from "@tollgate/contracts/failures.ts";
import { noteFailure } from "@tollgate/domain/routing/note-failure.ts";
import type { RouteStep } from "@tollgate/domain/routing/route-types.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { ExchangeWorker } from "../edge/exchange.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { ChosenModel } from "../model-list/find-model.ts";
import type { AccountingContext } from "./account/accounting.ts";
import type { CallAccount } from "./account/call-account.ts";
import { loseAttempt } from "./account/lose-attempt.ts";
import { raiseHoldFor } from "./account/raise-hold.ts";
import type { Call } from "./call.ts";
import type { UpstreamAnswer } from "./call-upstream.ts";
import { beginAttempt, endAttempt, fallBackTo, type RouteContext, routeOf } from "./choose-target.ts";
import { usualLimits } from "./upstream/attempt-limits.ts";
import { classifyFailure } from "./upstream/classify-failure.ts";
import { routingOptionsOf } from "./upstream/routing-options-of.ts";

/** Dependencies of further attempts. */
export interface TryContext {
  readonly accounting: AccountingContext;
  /** Returns the current settings, models, and time. */
  readonly route: () => RouteContext;
  readonly callUpstream: (call: Call, target: Deployment) => Promise<UpstreamAnswer>;
}

/**
 * Tries other deployments and then other groups after an attempt has failed. No byte has been sent to the client yet,
 * so only the headers show the attempts. Throws the last failure if no target is left.
 */
export async function retryOrFallBack(
  context: TryContext,
  account: CallAccount,
  error: unknown,
): Promise<UpstreamAnswer> {
  const { call } = account;
  let last = error;
  try {
    for (;;) {
      const step = nextStep(context, account, last);
      const target = await prepare(context, account, step);
      if (target === null) throw last;
      try {
        return await context.callUpstream(call, target);
      } catch (failure) {
        last = failure;
      }
    }
  } finally {
    endRoute(call);
  }
}

/** Counts the failure against the failed deployment and returns the next step. */
function nextStep(context: TryContext, account: CallAccount, error: unknown): RouteStep<Deployment> {
  const { call, deployment } = account;
  // A process that is shutting down makes no further attempts, and the deployment is not to blame.
  if (!(error instanceof Failure) || error.code === "shutting_down" || call.exchange.isGone) {
    if (error instanceof Failure) loseAttempt(account, error, { kind: "stop" });
    endAttempt(call);
    throw error;
  }
  context.accounting.observer?.attemptFailed(deployment, error);
  const route = context.route();
  const failure = classifyFailure(error);
  if (!isOwnDoing(call, deployment, error, route.settings)) {
    noteFailure(call.model, deployment, failure, route.nowMs, call.isProbe);
  }
  endAttempt(call);
  call.route ??= routeOf(call, deployment, routingOptionsOf(call, route.settings), route);
  const next = call.route.next(failure, route.nowMs, route.random);
  loseAttempt(account, error, next);
  return next;
}

/**
 * Waits until the next attempt is due and raises the hold for it. Skips attempts that the hold can't cover. Returns
 * null if no attempt is left or the client has disconnected.
 */
async function prepare(
  context: TryContext,
  account: CallAccount,
  proposed: RouteStep<Deployment>,
): Promise<Deployment | null> {
  const { call } = account;
  for (let step = proposed; step.kind === "call"; ) {
    // The attempt counts from now on, so that a deployment that needs only one probe gets no other call.
    beginAttempt(call, step.target, context.route().nowMs);
    if (step.waitMs > 0) await pause(call, step.waitMs);
    const { model: before, fallbackFrom, body } = call;
    if (step.isFallback) fallBackTo(call, step.group as ChosenModel);
    const isCovered = !call.exchange.isGone && (await raiseHoldFor(context.accounting, account, step.target));
    if (isCovered && !call.exchange.isGone) return step.target;
    endAttempt(call);
    call.model = before;
    call.useBody(body);
    call.fallbackFrom = fallbackFrom;
    if (call.exchange.isGone) return null;
    const route = context.route();
    step = call.route?.skip(route.nowMs, route.random) ?? { kind: "stop" };
  }
  return null;
}

/**
 * Reports whether the caller may have caused the failure, through a short timeout or through headers that conflict with
 * the gateway's credential. Such a failure is unrelated to the deployment and must not affect other callers.
 */
function isOwnDoing(call: Call, deployment: Deployment, failure: Failure, settings: Settings): boolean {
  const { timeoutSeconds, isCredential } = failure.facts.detail ?? {};
  if (isCredential === true) return call.body.extraHeaders.length > 0;
  if (typeof timeoutSeconds !== "number") return false;
  const { timeoutMs, streamTimeoutMs } = usualLimits(deployment, settings);
  const usualMs = failure.code === "stream_timeout" ? streamTimeoutMs : timeoutMs;
  const isAsked = call.asked.timeoutMs !== null || call.asked.streamTimeoutMs !== null;
  // If the request body arrived slowly, little of the total timeout is left for the attempts.
  return timeoutSeconds * 1_000 < (isAsked ? usualMs : usualMs / 2);
}

function endRoute(call: Call): void {
  const { route } = call;
  if (route === null) return;
  route.end();
  call.retries = route.retries;
  call.maxRetries = route.maxRetries;
  call.fallbacks = route.fallbacks;
}

/** Waits this long, or until the client disconnects. */
function pause(call: Call, durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, durationMs);
    const worker: ExchangeWorker = {
      clientGone: () => {
        clearTimeout(timer);
        resolve();
      },
    };
    call.exchange.worker = worker;
  });
}
