import { Failure } from "@tollgate/contracts/failures.ts";
import type { BudgetWindow } from "@tollgate/domain/credit/budget-window.ts";
import type { Denial } from "@tollgate/domain/credit/hold.ts";
import { formatUsd, type NanoUsd } from "@tollgate/domain/money.ts";
import type { Call } from "../call.ts";

const ownerWords = { key: "Key", team: "Team", user: "User", organization: "Organization" } as const;

/** A hold that was not granted as the refusal the caller sees: whose limit, how much of it, until when, what helps. */
export function describeDenial(denial: Denial, call: Call): Failure {
  if (denial.kind === "unavailable") return unavailable(denial.reason);
  const { purse, free, balance, required } = denial;
  if (purse.kind === "budget") return budgetSpent(purse.window, purse.limit, purse.limit - balance, call);
  const available = free > 0n ? free : 0n;
  return new Failure("QUOTA_EXCEEDED", `Not enough credits: available ${nineDigits(available)} USD.`, {
    limit: {
      kind: "credit",
      ownerType: "organization",
      ownerName: call.caller.organizationName ?? "",
      current: nineDigits(balance - available),
      maximum: nineDigits(balance),
      required: nineDigits(required),
      resetsAt: null,
    },
    fix: `Buy credits, or ask for less: this call may cost up to ${formatUsd(required)} USD, and a smaller max_tokens lowers that.`,
    detail: { available: String(available), held: String(balance - available), required: String(required) },
  });
}

function budgetSpent(window: BudgetWindow, limit: NanoUsd, spent: NanoUsd, call: Call): Failure {
  const owner = call.caller.budgets.budgets.find(
    ({ scope, scopeId }) => scope === window.scope && scopeId === window.scopeId,
  );
  const name = owner?.ownerName ?? window.scopeId;
  const resetsAt = Number.isFinite(window.endsAtMs) ? new Date(window.endsAtMs) : null;
  const until = resetsAt === null ? "it does not reset" : `resets ${shownTime(resetsAt)}`;
  const word = ownerWords[window.scope];
  return new Failure(
    "budget_exceeded",
    `${word} '${name}' reached its $${twoDigits(limit)} budget ($${twoDigits(spent)} spent, ${until}).`,
    {
      limit: {
        kind: "budget",
        ownerType: window.scope,
        ownerName: name,
        current: nineDigits(spent),
        maximum: nineDigits(limit),
        resetsAt: resetsAt?.toISOString() ?? null,
      },
      fix: `Raise the budget of the ${window.scope}${resetsAt === null ? "" : ", or wait until it resets"}.`,
    },
  );
}

function unavailable(reason: "recall" | "ledger"): Failure {
  const message =
    reason === "recall"
      ? "Credit of this organization is being called back from another gateway. Try again."
      : "The ledger does not answer at the moment. Try again shortly.";
  return new Failure("DB_TIMEOUT", message, { retryAfterMs: 1_000 });
}

/** USD with all nine digits, so that dropping the point gives nano-USD. */
function nineDigits(amount: NanoUsd): string {
  const sign = amount < 0n ? "-" : "";
  const digits = (amount < 0n ? -amount : amount).toString().padStart(10, "0");
  return `${sign}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

/** Dollars and cents as people write them; what is below a cent is shown in full. */
function twoDigits(amount: NanoUsd): string {
  return amount % 10_000_000n === 0n ? nineDigits(amount).slice(0, -7) : formatUsd(amount);
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function shownTime(at: Date): string {
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.toISOString().slice(11, 16)} UTC`;
}
