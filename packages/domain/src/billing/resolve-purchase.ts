import { NANO_PER_CENT, type NanoUsd } from "../money.ts";
import type { DisputeReport, PaymentEvent, PaymentReport } from "./payment-event.ts";

export type PurchaseStatus =
  | "pending"
  | "processing"
  | "paid"
  | "failed"
  | "expired"
  | "refunded"
  | "disputed"
  | "review";

/** Terms agreed on when the purchase was created. */
export interface PurchaseTerms {
  readonly id: string;
  readonly organizationId: string;
  readonly amount: NanoUsd;
}

/** A stored event. It is foreign if it comes from another provider or concerns the payment of another purchase. */
export type StoredEvent = PaymentEvent & { readonly isForeign: boolean };

/** State of a purchase, derived from its events. */
export interface PurchaseState {
  readonly status: PurchaseStatus;
  /** True if the amount counts toward the organization's credit. */
  readonly isPaid: boolean;
  readonly paymentId: string | null;
  readonly tax: NanoUsd;
  readonly receiptUrl: string | null;
  readonly invoiceUrl: string | null;
  /** Total amount refunded so far. */
  readonly refunded: NanoUsd;
  readonly refundId: string | null;
  readonly disputes: readonly Dispute[];
  /** Reasons for an operator to review the purchase. */
  readonly problems: readonly string[];
}

interface Dispute {
  readonly id: string;
  readonly amount: NanoUsd;
  readonly isWon: boolean;
}

/**
 * Derives the state of a purchase from the set of its events alone, so that order and duplicates don't matter. Events
 * that contradict the terms add no credit and require a review by an operator.
 */
export function resolvePurchase(terms: PurchaseTerms, events: readonly StoredEvent[]): PurchaseState {
  const sorted = events.toSorted((one, other) => one.at.getTime() - other.at.getTime() || compare(one.id, other.id));
  const problems = new Set(sorted.flatMap((event) => findProblems(terms, event)));
  const sound = sorted.filter((event) => findProblems(terms, event).length === 0);
  const reports = sound.filter(isReport);
  const paid = reports.filter(({ kind }) => kind === "paid");
  if (new Set(paid.map(({ paymentId }) => paymentId)).size > 1) problems.add("the purchase was paid more than once");
  const documents = sound.filter((event) => event.kind === "documented");
  const refund = largestRefund(sound);
  const disputes = mergeDisputes(sound.filter(isDispute));
  const refunded = (refund?.refundedMinor ?? 0n) * NANO_PER_CENT;
  const reported = paid[0] ?? reports.findLast(({ paymentId }) => paymentId !== null);
  return {
    status: chooseStatus(terms, reports, refunded, disputes, problems.size > 0),
    isPaid: paid.length > 0,
    paymentId: reported?.paymentId ?? null,
    tax: (paid[0]?.taxMinor ?? 0n) * NANO_PER_CENT,
    receiptUrl: documents.find(({ receiptUrl }) => receiptUrl !== null)?.receiptUrl ?? null,
    invoiceUrl: documents.find(({ invoiceUrl }) => invoiceUrl !== null)?.invoiceUrl ?? null,
    refunded,
    refundId: refund?.refundId ?? null,
    disputes,
    problems: [...problems].toSorted(),
  };
}

function chooseStatus(
  terms: PurchaseTerms,
  reports: readonly PaymentReport[],
  refunded: NanoUsd,
  disputes: readonly Dispute[],
  isContradicted: boolean,
): PurchaseStatus {
  if (isContradicted) return "review";
  const has = (kind: PaymentReport["kind"]) => reports.some((report) => report.kind === kind);
  if (has("paid")) {
    if (disputes.some(({ isWon }) => !isWon)) return "disputed";
    return refunded === terms.amount ? "refunded" : "paid";
  }
  // A completed checkout page can't expire or be undone. Only the payment can still fail.
  if (has("failed")) return "failed";
  if (has("processing")) return "processing";
  return has("expired") ? "expired" : "pending";
}

/** Lists the ways in which an event contradicts the terms. The payment itself is checked only if it succeeded. */
function findProblems(terms: PurchaseTerms, event: StoredEvent): string[] {
  const problems = event.isForeign ? [`${event.kind}: the payment does not belong to this purchase`] : [];
  if (isReport(event)) {
    if (event.purchaseId !== terms.id) problems.push(`${event.kind}: the event names another purchase`);
    if (event.kind !== "paid") return problems;
    if (event.organizationId !== terms.organizationId) problems.push("paid: the event names another organization");
    if (event.paymentId === null) problems.push("paid: the event names no payment");
    if (event.amountMinor * NANO_PER_CENT !== terms.amount) problems.push("paid: the amount differs");
  } else if (event.kind === "documented") {
    return problems;
  } else if (event.kind === "refunded") {
    if (event.refundedMinor * NANO_PER_CENT > terms.amount) problems.push("refunded: the amount exceeds the payment");
  } else if (event.amountMinor * NANO_PER_CENT > terms.amount) {
    problems.push(`${event.kind}: the amount exceeds the payment`);
  }
  if (event.currency !== "usd") problems.push(`${event.kind}: the currency differs`);
  return problems;
}

function largestRefund(events: readonly StoredEvent[]) {
  return events
    .filter((event) => event.kind === "refunded")
    .toSorted(
      (one, other) => compare(other.refundedMinor, one.refundedMinor) || compare(one.refundId, other.refundId),
    )[0];
}

/** Merges dispute reports. A closed dispute was open before, even if no report said so. */
function mergeDisputes(reports: readonly DisputeReport[]): readonly Dispute[] {
  const disputes = new Map<string, Dispute>();
  for (const { disputeId, amountMinor, kind } of reports) {
    const known = disputes.get(disputeId);
    disputes.set(disputeId, {
      id: disputeId,
      amount: known?.amount ?? amountMinor * NANO_PER_CENT,
      isWon: known?.isWon === true || kind === "dispute_won",
    });
  }
  return [...disputes.values()].filter(({ amount }) => amount > 0n);
}

const REPORTS: readonly string[] = ["paid", "processing", "failed", "expired"];
const isReport = (event: StoredEvent): event is StoredEvent & PaymentReport => REPORTS.includes(event.kind);
const isDispute = (event: StoredEvent): event is StoredEvent & DisputeReport => "disputeId" in event;

const compare = <Value extends string | bigint>(one: Value, other: Value): number =>
  one < other ? -1 : one > other ? 1 : 0;
