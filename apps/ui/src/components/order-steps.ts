type OrderState = "created" | "awaiting_payment" | "paid" | "credited" | "failed" | "expired" | "refunded";

export interface TimelineEntry {
  readonly state: OrderState;
  readonly at: string | null;
  readonly reference: string | null;
}

/** `now`: current step of an order that isn't final. */
export type StepState = "done" | "now" | "expected" | "failed";

export interface OrderStep extends TimelineEntry {
  readonly label: string;
  readonly step: StepState;
}

const labels: Readonly<Record<OrderState, string>> = {
  created: "Created",
  awaiting_payment: "Awaiting payment",
  paid: "Paid",
  credited: "Credited",
  failed: "Failed",
  expired: "Expired",
  refunded: "Refunded",
};

const FINAL: readonly OrderState[] = ["credited", "failed", "expired", "refunded"];

/** Returns the steps of an order: completed, current, and expected. */
export function orderSteps(timeline: readonly TimelineEntry[]): readonly OrderStep[] {
  const reached = timeline.findLastIndex(({ at }) => at !== null);
  return timeline.map((entry, index) => ({
    ...entry,
    label: labels[entry.state],
    step: stepOf(entry, index, reached),
  }));
}

/** Reports whether the order has reached a final state. */
export function isFinal(timeline: readonly TimelineEntry[]): boolean {
  const last = timeline.findLast(({ at }) => at !== null);
  return last !== undefined && FINAL.includes(last.state);
}

function stepOf({ state }: TimelineEntry, index: number, reached: number): StepState {
  if (index > reached) return "expected";
  if (state === "failed" || state === "expired") return "failed";
  return index === reached && !FINAL.includes(state) ? "now" : "done";
}
