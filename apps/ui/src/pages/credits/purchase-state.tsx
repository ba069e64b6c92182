import type { Operations } from "@tollgate/sdk/platform";
import { Check, CircleAlert, Clock, X } from "lucide-react";
import type { ReactNode } from "react";
import { Badge, type Tone } from "../../components/badge.tsx";
import { isFinal } from "../../components/order-steps.ts";

export type Purchase = Operations["getPurchase"]["answer"]["purchase"];

/** Reports whether the order can still change without user action. */
export function isOpenOrder({ status, timeline }: Pick<Purchase, "status" | "timeline">): boolean {
  return (status === "pending" || status === "processing") && !isFinal(timeline);
}

/** State of an order, as a label and a sentence. */
export function PurchaseState({ purchase }: { readonly purchase: Purchase }) {
  const { label, tone, icon, note } = describe(purchase);
  return (
    <span className="inline-flex min-w-0 flex-wrap items-center gap-x-2">
      <Badge tone={tone} icon={icon}>
        {label}
      </Badge>
      {note !== undefined && <span className="text-meta text-muted">{note}</span>}
    </span>
  );
}

interface Words {
  readonly label: string;
  readonly tone: Tone;
  readonly icon: ReactNode;
  readonly note?: string;
}

function describe({ status, timeline, shortfall }: Purchase): Words {
  const clock = <Clock strokeWidth={2} aria-hidden />;
  const isPaid = timeline.some(({ state, at }) => state === "paid" && at !== null);
  switch (status) {
    case "paid":
      return {
        label: "Credited",
        tone: "success",
        icon: <Check strokeWidth={2} aria-hidden />,
        ...(shortfall > 0 && { note: "balance still below zero" }),
      };
    case "pending":
      return { label: "Awaiting payment", tone: "info", icon: clock };
    case "processing":
      return { label: isPaid ? "Paid, crediting" : "Payment in progress", tone: "info", icon: clock };
    case "failed":
      return {
        label: "Failed",
        tone: "danger",
        icon: <X strokeWidth={2} aria-hidden />,
        note: "payment declined, no credits added",
      };
    case "expired":
      return { label: "Expired", tone: "neutral", icon: <X strokeWidth={2} aria-hidden />, note: "not paid" };
    case "refunded":
      return { label: "Refunded", tone: "neutral", icon: <Check strokeWidth={2} aria-hidden /> };
    case "disputed":
      return { label: "Disputed", tone: "warning", icon: <CircleAlert strokeWidth={2} aria-hidden /> };
    default:
      return {
        label: "In review",
        tone: "warning",
        icon: <CircleAlert strokeWidth={2} aria-hidden />,
        note: "an administrator is reviewing the payment",
      };
  }
}
