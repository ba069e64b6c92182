import { failures, gatewayKindOf } from "@tollgate/contracts/failure-table.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { LossReason } from "@tollgate/domain/credit/usage-event.ts";
import {
  CLIENT_CLOSED_STATUS,
  classOfSettled,
  classOfUnsettled,
  type RequestClass,
} from "@tollgate/domain/figures/request-class.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { CallObserver } from "../accounting/accounting.ts";
import type { CallOutcome } from "../accounting/record-usage.ts";
import type { Call } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import type { ChosenModel } from "../call/chosen-model.ts";
import { hasClientLeft } from "../call/client-disconnected.ts";
import type { Deployment } from "../call/deployment.ts";
import type { OperationName } from "../call/operation-traits.ts";
import {
  CacheSeries,
  Counter,
  callRow,
  createCallRow,
  DeploymentSeries,
  GuardrailSeries,
  guardrailLatency,
  perToken,
} from "./call-series.ts";
import { SeenBudgets } from "./seen-budgets.ts";
import { SeenKeyLimits } from "./seen-key-limits.ts";
import { SeriesFamily } from "./series-family.ts";

/** Labels with high cardinality, which the operator has to enable. */
type WideLabel = "key" | "user" | "end_user";

/** Series for a caller's calls to a model, looked up once. */
interface KnownSeries {
  readonly row: Float64Array;
  readonly answered: Partial<Record<OperationName, Counter>>;
}

/**
 * Counts calls. All of a caller's calls to a model share one model object, through which a call finds its series.
 * Counting a call then only increments numbers, which takes 90 ns.
 */
export class GatewayMetrics implements CallObserver {
  readonly wideLabels: readonly WideLabel[];
  readonly calls: SeriesFamily<Float64Array>;
  readonly requests: SeriesFamily<Counter>;
  readonly deployments = new SeriesFamily(["model_id"], () => new DeploymentSeries());
  readonly failedAttempts = new SeriesFamily(["model_id", "exception"], () => new Counter());
  /** Lost amounts in nano-USD, by reason. */
  readonly losses = new SeriesFamily(["reason"], () => new Counter());
  readonly substitutions = new SeriesFamily(["model_id"], () => new Counter());
  readonly cooldowns = new SeriesFamily(["model_id"], () => new Counter());
  /** Number of refusals, by failure code. */
  readonly refusals = new SeriesFamily(["code"], () => new Counter());
  readonly rateLimits = new SeriesFamily(["scope"], () => new Counter());
  readonly retries = new Counter();
  readonly responsesNotStored = new Counter();
  readonly budgets = new SeenBudgets();
  readonly keyLimits = new SeenKeyLimits();
  readonly fallbacks = new SeriesFamily(["from", "to", "exception"], () => new Counter());
  readonly cache = new SeriesFamily(["model"], () => new CacheSeries());
  readonly guardrails = new SeriesFamily(["guardrail", "mode"], () => new GuardrailSeries());
  #known = new WeakMap<ChosenModel, KnownSeries>();
  #knownDeployments = new WeakMap<Deployment, DeploymentSeries>();

  constructor(wideLabels: readonly WideLabel[]) {
    this.wideLabels = wideLabels;
    this.calls = new SeriesFamily(["model", "team", ...wideLabels], createCallRow);
    this.requests = new SeriesFamily(
      ["requested_model", "team", ...wideLabels, "route", "status_code", "class", "exception_class"],
      () => new Counter(),
    );
  }

  callClosed(call: Call, deployment: Deployment, outcome: CallOutcome, cost: NanoUsd, latencyMs: number): void {
    const known = this.#seriesOf(call);
    const { row } = known;
    const { usage, firstTokenMs } = outcome;
    (row[callRow.calls] as number) += 1;
    (row[callRow.inputTokens] as number) += usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    (row[callRow.outputTokens] as number) += usage.outputTokens;
    (row[callRow.cachedTokens] as number) += usage.cacheReadTokens;
    if (cost !== 0n) (row[callRow.spendNano] as number) += Number(cost);
    callRow.total.observe(row, latencyMs);
    const { startedAtMs, queuedMs } = call.exchange;
    if (queuedMs > 0) callRow.queued.observe(row, queuedMs);
    if (call.sentAtMs === 0) return this.#closeUnsent(call, known, outcome);
    if (call.attempts > 1) this.retries.count += call.attempts - 1;
    const beforeMs = call.sentAtMs - startedAtMs;
    const upstreamMs = latencyMs - beforeMs;
    // Failed attempts and the pauses between them count as upstream time, not as overhead.
    callRow.overhead.observe(row, call.firstSentAtMs - startedAtMs);
    callRow.upstream.observe(row, upstreamMs);
    if (call.isStream && firstTokenMs !== null) callRow.firstToken.observe(row, firstTokenMs - beforeMs);
    const served = this.#deploymentOf(deployment);
    served.headers = call.upstreamHeaders;
    if (outcome.status !== "success") return this.#closeFailed(call, deployment, outcome);
    served.successes += 1;
    if (usage.outputTokens > 0) perToken.observe(served.row, upstreamMs / usage.outputTokens);
    this.#answeredOf(known, call).count += 1;
    if (call.fallbackFrom !== null) this.fallbacks.get([call.fallbackFrom, call.model.name, ""]).count += 1;
  }

  callRefused(caller: Caller | null, call: Call | null, operation: OperationName, error: unknown): void {
    if (call?.exchange.isGone === true || hasClientLeft(error)) this.#countCanceled(caller, call, operation);
    else this.#countRefused(caller, call, operation, error, classOfUnsettled(endOf(error)));
  }

  callRepeated(call: Call): void {
    this.#answeredOf(this.#seriesOf(call), call).count += 1;
  }

  attemptFailed({ id }: Deployment, error: unknown): void {
    this.failedAttempts.get([id, classOf(error)]).count += 1;
  }

  attemptLost(reason: LossReason, cost: NanoUsd): void {
    this.losses.get([reason]).count += Number(cost);
  }

  modelSubstituted({ id }: Deployment, loss: NanoUsd): void {
    this.substitutions.get([id]).count += 1;
    if (loss > 0n) this.losses.get(["substitution"]).count += Number(loss);
  }

  cacheAsked({ model }: Call, isHit: boolean): void {
    const series = this.cache.get([model.name]);
    if (isHit) series.hits += 1;
    else series.misses += 1;
  }

  guardrailRan(guardrail: string, mode: string, durationMs: number, hasFailed: boolean): void {
    const series = this.guardrails.get([guardrail, mode]);
    series.requests += 1;
    if (hasFailed) series.errors += 1;
    guardrailLatency.observe(series.row, durationMs);
  }

  /** Counts a response that could not be stored. */
  responseLost(): void {
    this.responsesNotStored.count += 1;
  }

  /** Counts a deployment that enters a cooldown. */
  cooledDown(deploymentId: string): void {
    this.cooldowns.get([deploymentId]).count += 1;
  }

  /** Counts a call that makes no upstream request, such as a cache hit or a call with no available deployment. */
  #closeUnsent(call: Call, known: KnownSeries, { status, failure }: CallOutcome): void {
    if (status === "success") this.#answeredOf(known, call).count += 1;
    else if (status === "client_disconnect") this.#countCanceled(call.caller, call, call.operation);
    else this.#countRefused(call.caller, call, call.operation, failure, settledClassOf(status, failure));
  }

  #closeFailed(call: Call, deployment: Deployment, { status, failure, firstTokenMs }: CallOutcome): void {
    if (status === "client_disconnect") return this.#countCanceled(call.caller, call, call.operation);
    // An attempt that failed before its response began is already counted.
    if (firstTokenMs !== null) this.attemptFailed(deployment, failure);
    if (call.fallbackFrom !== null) {
      this.fallbacks.get([call.fallbackFrom, call.model.name, classOf(failure)]).count += 1;
    }
    this.#countRefused(call.caller, call, call.operation, failure, settledClassOf(status, failure));
  }

  #countCanceled(caller: Caller | null, call: Call | null, operation: OperationName): void {
    this.requests.get(this.#requestLabels(caller, call, operation, CANCELED)).count += 1;
  }

  #countRefused(
    caller: Caller | null,
    call: Call | null,
    operation: OperationName,
    error: unknown,
    requestClass: RequestClass,
  ): void {
    const { httpStatus, errorCode } = endOf(error);
    this.refusals.get([errorCode]).count += 1;
    const limit = error instanceof Failure ? error.facts.rateLimit : undefined;
    if (limit !== undefined) this.rateLimits.get([limit.scope]).count += 1;
    const ended = { status: String(httpStatus), class: requestClass, exception: classOf(error) };
    this.requests.get(this.#requestLabels(caller, call, operation, ended)).count += 1;
  }

  #seriesOf(call: Call): KnownSeries {
    const known = this.#known.get(call.model);
    if (known !== undefined) return known;
    this.budgets.see(call.caller);
    this.keyLimits.see(call.caller);
    const made: KnownSeries = { row: this.calls.get(this.#callLabels(call)), answered: {} };
    // The end user can differ in each call, so the series can't be cached.
    if (!this.wideLabels.includes("end_user")) this.#known.set(call.model, made);
    return made;
  }

  #answeredOf(known: KnownSeries, call: Call): Counter {
    // The series of a fallback can't be cached, because the caller requested a different model.
    const isUsual = call.fallbackFrom === null;
    const answered = isUsual ? known.answered[call.operation] : undefined;
    if (answered !== undefined) return answered;
    const made = this.requests.get(this.#requestLabels(call.caller, call, call.operation, SUCCEEDED));
    if (isUsual) known.answered[call.operation] = made;
    return made;
  }

  #deploymentOf(deployment: Deployment): DeploymentSeries {
    const known = this.#knownDeployments.get(deployment);
    if (known !== undefined) return known;
    const made = this.deployments.get([deployment.id]);
    this.#knownDeployments.set(deployment, made);
    return made;
  }

  #callLabels(call: Call): readonly string[] {
    return [call.model.name, call.caller.teamId ?? "", ...this.#wideValues(call.caller, call)];
  }

  #requestLabels(
    caller: Caller | null,
    call: Call | null,
    operation: OperationName,
    { status, class: requestClass, exception }: RequestEnd,
  ): readonly string[] {
    const model = call?.fallbackFrom ?? call?.model.name ?? "";
    const wide = this.#wideValues(caller, call);
    return [model, caller?.teamId ?? "", ...wide, operation, status, requestClass, exception];
  }

  #wideValues(caller: Caller | null, call: Call | null): readonly string[] {
    return this.wideLabels.map((label) => {
      if (label === "key") return caller?.keyId ?? "";
      return (label === "user" ? caller?.userId : call?.endUser) ?? "";
    });
  }
}

/** Labels for the end of a request. */
interface RequestEnd {
  readonly status: string;
  readonly class: RequestClass;
  readonly exception: string;
}

const SUCCEEDED: RequestEnd = { status: "200", class: "succeeded", exception: "" };
const CANCELED: RequestEnd = { status: String(CLIENT_CLOSED_STATUS), class: "canceled", exception: "" };

function endOf(error: unknown): { readonly httpStatus: number; readonly errorCode: string } {
  return error instanceof Failure
    ? { httpStatus: error.status, errorCode: error.code }
    : { httpStatus: failures.internal_error.status, errorCode: "internal_error" };
}

/** Returns the class of a request with an account, as its usage event has it. */
function settledClassOf(status: CallOutcome["status"], failure: unknown): RequestClass {
  return classOfSettled({ status, httpStatus: endOf(failure).httpStatus });
}

/** Returns the error's class name, as in responses. */
function classOf(error: unknown): string {
  return error instanceof Failure ? gatewayKindOf(error.code).name : failures.internal_error.name;
}
