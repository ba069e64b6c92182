import { Failure, type FailureCode } from "@tollgate/contracts/failures.ts";
import type { Denial, Hold, HoldWaiter } from "@tollgate/domain/credit/hold.ts";
import type { LossReason } from "@tollgate/domain/credit/usage-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { type FailureClass, isOfCaller } from "@tollgate/domain/routing/failure-class.ts";
import { noteFailure } from "@tollgate/domain/routing/note-failure.ts";
import type { RouteFailure, RouteStep } from "@tollgate/domain/routing/route-types.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { AccountingContext } from "../accounting/accounting.ts";
import type { CallAccount } from "../accounting/call-account.ts";
import { promptTokensOf } from "../accounting/conditional-price.ts";
import { estimateFor, holdRequest } from "../accounting/estimate-call.ts";
import { pricedAs } from "../accounting/record-usage.ts";
import { producedUsage } from "../accounting/upstream-failures.ts";
import { hasTokenLimits, mostOutput } from "../accounting/usage-of.ts";
import { waitForHold } from "../accounting/wait-for-hold.ts";
import { beginAttempt, type Call, endAttempt } from "../call/call.ts";
import type { ChosenModel } from "../call/chosen-model.ts";
import type { Deployment } from "../call/deployment.ts";
import type { ExchangeWorker } from "../call/exchange.ts";
import type { UpstreamAnswer } from "../call/upstream-answer.ts";
import { usualLimits } from "../limits/live-calls.ts";
import { endRoute, fallBackTo, type RouteContext, returnTo, startRoute } from "./choose-target.ts";
import { UnfitDeployments } from "./unfit-deployments.ts";

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
  const unfit = new UnfitDeployments();
  let last = error;
  try {
    for (;;) {
      const step = nextStep(context, account, last, unfit);
      const target = await prepare(context, account, step);
      if (target === null) throw unfit.describe(call, last);
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
function nextStep(
  context: TryContext,
  account: CallAccount,
  error: unknown,
  unfit: UnfitDeployments,
): RouteStep<Deployment> {
  const { call, deployment } = account;
  // A process that is shutting down makes no further attempts, and the deployment is not to blame.
  if (!(error instanceof Failure) || error.code === "shutting_down" || call.exchange.isGone) {
    if (error instanceof Failure) loseAttempt(account, error, { kind: "stop" });
    endAttempt(call);
    throw error;
  }
  const route = context.route();
  const failure = classifyFailure(error);
  // A failure that the request or the caller's own key caused says nothing about the deployment.
  if (!isOfCaller(failure.class) && !deployment.usesOwnKey)
    context.accounting.observer?.attemptFailed(deployment, error);
  if (!isOwnDoing(call, deployment, error, route.settings)) {
    noteFailure(call.model, deployment, failure, route.nowMs, call.isProbe);
  }
  endAttempt(call);
  const next = stepAfter(call, deployment, failure, unfit.note(call, deployment, error, failure.class), route);
  if (call.session !== 0 && !isOfCaller(failure.class)) movePin(call.session, deployment, next, route);
  loseAttempt(account, error, next);
  return next;
}

/** Moves a session from a deployment that failed to the next one of its group. */
function movePin(
  session: number,
  failed: Deployment,
  next: RouteStep<Deployment>,
  { pins, nowMs }: RouteContext,
): void {
  pins.release(session, failed.id);
  if (next.kind === "call" && !next.isFallback) pins.pin(session, next.target.id, nowMs);
}

/** Returns the next step. `others` are the deployments that may serve what the failed one can't; null if unknown. */
function stepAfter(
  call: Call,
  failed: Deployment,
  failure: RouteFailure,
  others: readonly Deployment[] | null,
  route: RouteContext,
): RouteStep<Deployment> {
  const started = startRoute(call, failed, route);
  if (others === null) return started.next(failure, route.nowMs, route.random);
  started.exclude(call.model.targets.filter((target) => !others.includes(target)));
  // A request that was not sent doesn't count as an attempt.
  if (failure.class === "local") return started.skip(route.nowMs, route.random);
  return started.next({ ...failure, isUnfit: true }, route.nowMs, route.random);
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
    returnTo(call, before, body, fallbackFrom);
    if (call.exchange.isGone) return null;
    const route = context.route();
    step = call.route?.skip(route.nowMs, route.random) ?? { kind: "stop" };
  }
  return null;
}

/**
 * Reports whether the caller may have caused the failure, through their own provider API key, through a short timeout,
 * or through headers that conflict with the gateway's credential. Such a failure is unrelated to the deployment and must
 * not affect other callers.
 */
function isOwnDoing(call: Call, deployment: Deployment, failure: Failure, settings: Settings): boolean {
  if (deployment.usesOwnKey) return true;
  const { timeoutSeconds, isCredential } = failure.facts.detail ?? {};
  if (isCredential === true) return call.body.extraHeaders.length > 0;
  if (typeof timeoutSeconds !== "number") return false;
  const { timeoutMs, streamTimeoutMs } = usualLimits(deployment, settings);
  const usualMs = failure.code === "stream_timeout" ? streamTimeoutMs : timeoutMs;
  const isAsked = call.asked.timeoutMs !== null || call.asked.streamTimeoutMs !== null;
  // If the request body arrived slowly, little of the total timeout is left for the attempts.
  return timeoutSeconds * 1_000 < (isAsked ? usualMs : usualMs / 2);
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

/**
 * Raises the hold before a more expensive deployment is tried. Returns false if the deployment has no price or the
 * credit is insufficient. In both cases, the deployment must not be tried.
 */
async function raiseHoldFor(accounting: AccountingContext, account: CallAccount, target: Deployment): Promise<boolean> {
  const { call, hold } = account;
  const priced = pricedAs(call, target);
  if (priced.price === null) {
    if (accounting.settings().billing.provider !== "off") return false;
    account.moveTo(target, null, hold);
    return true;
  }
  if (!(await isPriceKnown(accounting, target, priced))) return false;
  const estimate = estimateFor(accounting, call, target, hold?.amount);
  const request = holdRequest(accounting, call, estimate.amount);
  if (request === null) {
    account.moveTo(target, estimate, hold);
    return true;
  }
  if (hold === null) {
    const outcome = accounting.holds.take(request) ?? (await waitForHold(accounting.holds, call.exchange, request));
    if ("kind" in outcome && outcome.kind !== "granted") return false;
    account.moveTo(target, estimate, "kind" in outcome ? outcome.hold : outcome);
    return true;
  }
  const missing = estimate.amount - hold.amount;
  if (missing > 0n && !(await raise(accounting, hold, missing))) return false;
  account.moveTo(target, estimate, hold);
  return true;
}

async function isPriceKnown(
  accounting: AccountingContext,
  target: Deployment,
  priced: ReturnType<typeof pricedAs>,
): Promise<boolean> {
  try {
    await accounting.prices.ensure(target, priced);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

function raise(accounting: AccountingContext, hold: Hold, by: NanoUsd): Promise<boolean> {
  return new Promise((resolve) => {
    const waiter: HoldWaiter = {
      granted: () => resolve(true),
      denied: (_denial: Denial) => resolve(false),
    };
    if (accounting.holds.extend(hold, by, waiter)) resolve(true);
  });
}

/** Records a failed attempt that the provider bills. The caller did not cause the failure, so the operator pays. */
function loseAttempt(account: CallAccount, failure: Failure, next: RouteStep<Deployment>): void {
  const usage = producedUsage(failure);
  if (usage !== null) account.loseAttempt(lossReasonOf(failure, next), usage);
}

/**
 * Records output that a stream may have produced unseen before the operator's timeout or a drain ended it. The provider
 * bills this output but could not report it, so the loss is estimated as all output that the request still allowed.
 */
export function loseHiddenOutput(account: CallAccount, { code }: Failure, usage: Usage): void {
  const { source, outputTokens } = usage;
  const isStoppedByOperator = code === "timeout" || code === "stream_timeout" || code === "shutting_down";
  const showsOutput = account.deployment.facts.billsHiddenTokens === false || !hasTokenLimits(account);
  if (!isStoppedByOperator || showsOutput || source === "reported") return;
  const hidden = Math.min(account.heldOutput, mostOutput(account)) - outputTokens;
  if (hidden <= 0 || !Number.isFinite(hidden)) return;
  // The prompt is part of the delivered response's usage, but its size selects the rates of all output.
  const lost: Usage = { ...NO_USAGE, outputTokens: hidden, source: "estimated" };
  account.loseAttempt("timeout", lost, promptTokensOf(usage));
}

function lossReasonOf({ code }: Failure, next: RouteStep<Deployment>): LossReason {
  if (code === "timeout" || code === "stream_timeout") return "timeout";
  if (code === "bad_gateway") return "malformed";
  if (next.kind !== "call") return "upstream";
  return next.isFallback ? "fallback" : "retry";
}

const classes: Partial<Record<FailureCode, FailureClass>> = {
  timeout: "timeout",
  stream_timeout: "timeout",
  upstream_rate_limit: "rate_limit",
  context_length_exceeded: "context_window",
  content_policy_violation: "content_policy",
  content_filter: "content_policy",
  upstream_unreachable: "connection",
  loop_detected: "local",
  bad_gateway: "unavailable",
  service_unavailable: "unavailable",
  credentials_unavailable: "unavailable",
  internal_error: "internal",
  json_schema_validation_failed: "internal",
};

/** Classifies a failed attempt, so that the next attempt can be chosen. */
function classifyFailure(failure: Failure): RouteFailure {
  return { class: classOf(failure), retryAfterMs: failure.facts.retryAfterMs ?? null };
}

function classOf({ code, facts }: Failure): FailureClass {
  const { upstreamStatus, isCredential, wasAnswering } = facts.detail ?? {};
  if (isCredential === true) return "authentication";
  if (wasAnswering === true) return "unavailable";
  const known = classes[code];
  if (known !== undefined) return known;
  switch (upstreamStatus) {
    case 404:
      return "not_found";
    case 409:
      return "conflict";
    case 422:
      return "unprocessable";
    case undefined:
      // The request was not sent because it doesn't fit the deployment, so a retry would also fail.
      return "local";
    default:
      return "bad_request";
  }
}
