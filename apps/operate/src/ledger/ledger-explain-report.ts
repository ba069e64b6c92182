import type { EventExplanation, SettledCall, UnitLine } from "@tollgate/db/ledger/explain-event.ts";
import { uuidToCrockford } from "@tollgate/domain/ids.ts";
import { formatUsd, PICO_PER_NANO } from "@tollgate/domain/money.ts";

type Shown = Extract<EventExplanation, { kind: "settled" | "parked" }>;

/** Formats a call as text: the caller, the usage, the price calculation, and the postings. */
export function formatExplanation(found: Shown): string {
  const lines = found.kind === "settled" ? settledLines(found) : parkedLines(found);
  return `${lines.map(([label, text]) => `  ${label.padEnd(12)} ${text}`.trimEnd()).join("\n")}\n`;
}

type Line = readonly [label: string, text: string];

function parkedLines(event: Extract<Shown, { kind: "parked" }>): Line[] {
  const redriven = event.redrivenAt === null ? "not redriven yet" : `redriven ${event.redrivenAt.toISOString()}`;
  return [
    ["request", `${event.id}  use_${uuidToCrockford(event.id)}`],
    ["parked", `${event.parkedAt.toISOString()}, ${redriven}`],
    ["reason", event.reason],
    ["organization", event.organizationId ?? "unknown"],
    ["event", JSON.stringify(event.event)],
  ];
}

function settledLines(call: SettledCall): Line[] {
  return [
    ["request", `${call.id}  use_${uuidToCrockford(call.id)}`],
    ["label", call.requestId],
    ["at", `${call.at.toISOString()}, ended ${call.endedAt.toISOString()}`],
    ["organization", withName(call.organizationId ?? "none (operator)", call.organizationName)],
    ["team", withName(call.teamId ?? "none", call.teamName)],
    ["key", `${call.keyId}${call.userId === null ? "" : `, user ${call.userId}`}`],
    ["model", `${call.modelGroup} served by ${call.priceModel ?? call.provider ?? "no provider"}, ${call.endpoint}`],
    ["status", `${call.status} ${call.httpStatus}, usage ${call.usageSource}`],
    ["price", call.priceVersionId ?? "none"],
    ...(call.priceCondition === null ? [] : [["condition", call.priceCondition] as const]),
    ...costLines(call),
    ["hold", `${formatUsd(call.hold)} USD, ${formatUsd(call.fromLease)} of it from the lease`],
    ["lease", `${call.nodeId} epoch ${call.epoch}, ${call.leaseState ?? "no lease"}`],
    ["settled", call.settledAt.toISOString()],
    ...transactionLines(call),
    ...call.budgets.map((budget): Line => {
      const period = `${budget.startsAt.toISOString()} to ${budget.endsAt?.toISOString() ?? "no end"}`;
      const spent = `${formatUsd(budget.spent)} of ${formatUsd(budget.amount)} USD spent`;
      return ["budget", `${budget.scope} ${budget.scopeId}, ${period}: ${spent}`];
    }),
    ["rollup", `15 minutes from ${call.rollupBucketAt.toISOString()}`],
  ];
}

function costLines(call: SettledCall): Line[] {
  const { units, cost, loss, lostAttempts, isBilled } = call;
  const used = units.filter(({ count }) => count > 0n);
  const sum = units.reduce((total, { pico }) => total + thousandths(pico), 0n);
  const charged = isBilled ? "charged" : "not charged: this request is not billed";
  return [
    ...used.map(
      ({ unit, count, picoPerUnit, pico }): Line => [
        unit,
        `${count} × ${priceOf(unit, picoPerUnit)} = ${pico} pico-USD`,
      ],
    ),
    ["sum", `${inPico(sum)} pico-USD, rounded by ${inPico((cost + loss) * PICO_PER_NANO * THOUSAND - sum)} pico-USD`],
    ["cost", `${cost} nano-USD = ${formatUsd(cost)} USD, ${charged}`],
    ...(call.cacheSaved === null || call.cacheSaved === 0n
      ? []
      : [["cache saved", `${formatUsd(call.cacheSaved)} USD compared with plain input`] as const]),
    ...marginLines(call),
    ...(loss === 0n ? [] : [["loss", `${formatUsd(loss)} USD of the price, paid by the operator`] as const]),
    ...lostAttempts.map(
      (attempt): Line => [
        "lost attempt",
        `${attempt.reason} at ${attempt.deploymentId} (${attempt.provider}): ${formatUsd(attempt.cost)} USD, ` +
          `paid by the operator (${attempt.transactionId ?? "not posted: the request is not billed"})`,
      ],
    ),
  ];
}

/** Shows the provider's charge, if the price has a margin or the provider reported it. */
function marginLines({ cost, providerCost, reportedCost, costVersionId, costCondition }: SettledCall): Line[] {
  if (reportedCost !== null) {
    return [
      ["provider", `${formatUsd(reportedCost)} USD, as the provider reported`],
      ["margin", `${formatUsd(cost - reportedCost)} USD`],
    ];
  }
  if (providerCost === null) return [];
  const condition = costCondition === null ? "" : ` for ${costCondition}`;
  return [
    ["provider", `${formatUsd(providerCost)} USD at ${costVersionId ?? "an unknown price"}${condition}`],
    ["margin", `${formatUsd(cost - providerCost)} USD`],
  ];
}

const THOUSAND = 1_000n;

/** Formats a price. Audio is counted in milliseconds and priced per second. */
const priceOf = (unit: UnitLine["unit"], pico: bigint): string =>
  `${pico} pico-USD${unit === "audioMs" ? " / 1000" : ""}`;

/** Converts a decimal with up to three places to thousandths, exactly. */
function thousandths(decimal: string): bigint {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return BigInt(whole + fraction.padEnd(3, "0"));
}

function inPico(thousandths: bigint): string {
  const digits = (thousandths < 0n ? -thousandths : thousandths).toString().padStart(4, "0");
  const fraction = digits.slice(-3).replace(/0+$/, "");
  return `${thousandths < 0n ? "-" : ""}${digits.slice(0, -3)}${fraction === "" ? "" : `.${fraction}`}`;
}

function transactionLines({ transaction, cost }: SettledCall): Line[] {
  if (transaction === null) return [["transaction", cost === 0n ? "none, because the cost is 0" : "none"]];
  const { id, createdAt, source, destination, amount, balanceAfter, calls, otherCalls } = transaction;
  const shared = calls === 1n ? "this request only" : `${calls} requests combined`;
  const others = otherCalls.length === 0 ? [] : [["with", otherCalls.join(", ")] as const];
  return [
    ["transaction", `${id} ${createdAt.toISOString()}, ${shared}`],
    ["posting", `${source} → ${destination}  ${formatUsd(amount)} USD, balance after ${formatUsd(balanceAfter)}`],
    ...others,
  ];
}

function withName(id: string, name: string | null): string {
  return name === null ? id : `${id} (${name})`;
}
