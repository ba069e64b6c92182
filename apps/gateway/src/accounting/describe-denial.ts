import { Failure } from "@tollgate/contracts/failures.ts";
import type { Denial } from "@tollgate/domain/credit/hold.ts";
import { formatUsd, type NanoUsd, PICO_PER_NANO } from "@tollgate/domain/money.ts";
import { type Price, priceCall } from "@tollgate/domain/pricing/price-call.ts";
import type { BillingSettings } from "@tollgate/runtime/settings/settings.ts";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import { choicesOf, reachesModel, requestedMaxOutput } from "../operations/estimate-input.ts";
import { largestCostWithin, maxPriceFor, outputWithin } from "./estimate-call.ts";

type Refused = Extract<Denial, { readonly kind: "refused" }>;
type BudgetAllowance = Extract<Refused["allowance"], { readonly kind: "budget" }>;

const ownerWords = { key: "Key", team: "Team", user: "User", organization: "Organization" } as const;

/** Additional data for a refusal message. */
export interface DenialContext {
  /** The output that the remaining credit covers; null if output tokens don't apply. */
  readonly coverage: Coverage | null;
  /** Amount by which a hold may exceed the available credit. */
  readonly overdraft: NanoUsd;
}

const NO_CONTEXT: DenialContext = { coverage: null, overdraft: 0n };

/** Converts a denied hold into a failure that names the limit, its owner, the amounts, the reset time, and a fix. */
export function describeDenial(denial: Denial, call: Call, context: DenialContext = NO_CONTEXT): Failure {
  if (denial.kind === "unavailable") return unavailable(denial.reason);
  if (denial.kind === "too_large") return tooLarge(denial.required, denial.limit, call, context.coverage);
  const { allowance, free, balance, required } = denial;
  if (allowance.kind === "budget") return budgetSpent(denial, allowance, call, context.coverage);
  const { coverage, overdraft } = context;
  const available = free > 0n ? free : 0n;
  const plus = overdraft > 0n ? ` plus an overdraft of ${formatUsd(overdraft)} USD` : "";
  const covers = coverage === null ? "" : ` That covers ${coveredTokens(coverage)}.`;
  return new Failure("QUOTA_EXCEEDED", `Not enough credits: available ${nineDigits(available)} USD${plus}.${covers}`, {
    limit: {
      kind: "credit",
      ownerType: "organization",
      ownerName: call.caller.organizationName ?? "",
      current: nineDigits(balance - available),
      maximum: nineDigits(balance),
      required: nineDigits(required),
      resetsAt: null,
    },
    fix: `Buy credits${orSmaller(coverage)}. This request can cost up to ${formatUsd(required)} USD${mediaNote(call)}.`,
    detail: { available: String(available), held: String(balance - available), required: String(required) },
  });
}

/**
 * Returns the failure for a hold above the maximum. Customers can't change this limit, so the message names the
 * operator.
 */
function tooLarge(required: NanoUsd, limit: NanoUsd, call: Call, coverage: Coverage | null): Failure {
  const covers = coverage === null ? "" : ` That limit covers ${coveredTokens(coverage)}.`;
  const lower = hasOutput(coverage) ? `Set ${coverage.limitParam} to ${coverage.outputTokens} or less, or ask` : "Ask";
  return new Failure(
    "invalid_request",
    `This request can cost up to ${formatUsd(required)} USD, but the maximum hold per request is ${formatUsd(limit)} USD (billing.maxHold)${mediaNote(call)}.${covers}`,
    {
      ...(hasOutput(coverage) && { param: coverage.limitParam }),
      fix: `${lower} the gateway operator to raise billing.maxHold.`,
      detail: { required: String(required), maxHold: String(limit) },
    },
  );
}

/** Explains a hold that is much larger than the request. */
function mediaNote({ parts }: Call): string {
  return parts.isUnbounded ? ", because a file, video, or recording can fill the model's context window" : "";
}

function coveredTokens({ outputTokens, choices }: Coverage): string {
  if (outputTokens === null) return "0 output tokens, because the input alone can cost more";
  const tokens = `${outputTokens} output ${outputTokens === 1 ? "token" : "tokens"}`;
  return choices === 1 ? tokens : `${tokens} for each of ${choices} choices`;
}

function hasOutput(coverage: Coverage | null): coverage is Coverage {
  return (coverage?.outputTokens ?? 0) > 0;
}

function orSmaller(coverage: Coverage | null): string {
  return hasOutput(coverage) ? `, or set ${coverage.limitParam} to ${coverage.outputTokens} or less` : "";
}

function budgetSpent(
  denial: Refused,
  { window, limit }: BudgetAllowance,
  call: Call,
  coverage: Coverage | null,
): Failure {
  const spent = limit - denial.balance;
  const owner = call.caller.budgets.budgets.find(
    ({ scope, scopeId }) => scope === window.scope && scopeId === window.scopeId,
  );
  const name = owner?.ownerName ?? window.scopeId;
  const resetsAt = Number.isFinite(window.endsAtMs) ? new Date(window.endsAtMs) : null;
  const until = resetsAt === null ? "does not reset" : `resets ${shownTime(resetsAt)}`;
  const word = ownerWords[window.scope];
  const budget = `$${twoDigits(limit)} budget ($${twoDigits(spent)} spent, ${until})`;
  return new Failure(
    "budget_exceeded",
    denial.free > 0n
      ? `${word} '${name}' doesn't have enough left in its ${budget}. This request can cost up to $${formatUsd(denial.required)}${mediaNote(call)}.`
      : `${word} '${name}' reached its ${budget}.`,
    {
      limit: {
        kind: "budget",
        ownerType: window.scope,
        ownerName: name,
        current: nineDigits(spent),
        maximum: nineDigits(limit),
        resetsAt: resetsAt?.toISOString() ?? null,
      },
      fix: `Raise the ${window.scope}'s budget${resetsAt === null ? "" : ", or wait until it resets"}${orSmaller(coverage)}.`,
    },
  );
}

function unavailable(reason: "recall" | "ledger"): Failure {
  const message =
    reason === "recall"
      ? "Credit is being rebalanced between gateways. Retry in 1 second."
      : "The ledger is not responding. Try again shortly.";
  return new Failure("DB_TIMEOUT", message, { retryAfterMs: 1_000 });
}

/** Formats USD with nine decimal places, so that removing the decimal point yields nano-USD. */
function nineDigits(amount: NanoUsd): string {
  const sign = amount < 0n ? "-" : "";
  const digits = (amount < 0n ? -amount : amount).toString().padStart(10, "0");
  return `${sign}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

/** Formats dollars and cents. Fractions of a cent are shown in full. */
function twoDigits(amount: NanoUsd): string {
  return amount % 10_000_000n === 0n ? nineDigits(amount).slice(0, -7) : formatUsd(amount);
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function shownTime(at: Date): string {
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.toISOString().slice(11, 16)} UTC`;
}

/** The output that a given amount of money pays for. */
interface Coverage {
  /** Output tokens per choice; null if the amount doesn't even cover the input. */
  readonly outputTokens: number | null;
  readonly choices: number;
  /** Name of the request's output limit parameter. */
  readonly limitParam: string;
}

/** Returns the output that a hold of this amount covers; null for calls whose output is not limited in tokens. */
export function coverageOf(
  amount: NanoUsd,
  call: Call,
  deployment: Deployment,
  price: Price,
  billing: BillingSettings,
): Coverage | null {
  if (call.kind.writesText !== true) return null;
  const limitParam = limitParamOf(call);
  // A limit that doesn't reach the model would not reduce the hold.
  if (!reachesModel(limitParam, call, deployment)) return null;
  const most = call.kind.boundUsage(call, deployment);
  if (most === null) {
    return {
      outputTokens: outputWithin(amount, call, deployment, price, billing),
      choices: choicesOf(call),
      limitParam,
    };
  }
  const asked = requestedMaxOutput(call, deployment);
  if (asked === null || asked === 0) return null;
  const choices = most.outputTokens / asked;
  const left = largestCostWithin(amount, billing) - priceCall({ ...most, outputTokens: 0, reasoningTokens: 0 }, price);
  const pico = maxPriceFor(call, deployment, price).output * BigInt(choices);
  if (left < 0n) return { outputTokens: null, choices, limitParam };
  return { outputTokens: pico === 0n ? asked : Number((left * PICO_PER_NANO) / pico), choices, limitParam };
}

function limitParamOf({ kind, body }: Call): string {
  const request = body.request as Readonly<Record<string, unknown>>;
  const names = kind.limitParams ?? ["max_tokens", "max_completion_tokens"];
  return names.find((name) => typeof request[name] === "number") ?? names[0] ?? "max_tokens";
}
