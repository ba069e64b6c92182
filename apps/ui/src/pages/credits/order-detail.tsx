import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import type { ReactNode } from "react";
import { Money } from "../../components/money.tsx";
import { OrderTimeline } from "../../components/order-timeline.tsx";
import { plural } from "../../format/plural.ts";
import { OrderActions } from "./order-actions.tsx";
import { isOpenOrder, type Purchase } from "./purchase-state.tsx";

interface OrderDetailProps {
  readonly purchase: Purchase;
  readonly onAgain: (amount: string) => void;
}

/** Timeline of an order, with an explanation of its status and effects. */
export function OrderDetail({ purchase, onAgain }: OrderDetailProps) {
  return (
    <div className="grid gap-4 bg-selected px-4 py-4 max-sm:bg-transparent max-sm:px-0 max-sm:pb-0 sm:pl-10">
      <OrderTimeline timeline={withoutSession(purchase.timeline)} expectation="Usually within 20 s" />
      <p aria-live="polite" className="text-table whitespace-normal text-muted">
        {explain(purchase)}
      </p>
      <p className="font-mono text-meta wrap-anywhere whitespace-normal text-muted">
        {purchase.id}
        {purchase.transactionId !== null && `, ledger entry ${purchase.transactionId}`}
      </p>
      <div className="sm:hidden">
        <OrderActions purchase={purchase} onAgain={onAgain} />
      </div>
    </div>
  );
}

/** Hides the provider's checkout session ID, which is meaningless to users. The payment ID is useful. */
function withoutSession(timeline: Purchase["timeline"]): Purchase["timeline"] {
  return timeline.map((step) => (step.state === "awaiting_payment" ? { ...step, reference: null } : step));
}

function explain(purchase: Purchase): ReactNode {
  const { status, amount, unblockedTeams, shortfall, refunded } = purchase;
  if (status === "paid") {
    return (
      <>
        <strong className="font-semibold text-text">{formatMoney(amount)} credited.</strong>{" "}
        {unblockedTeams > 0 && (
          <strong className="font-semibold text-success">{plural(unblockedTeams, "team")} unblocked. </strong>
        )}
        {shortfall > 0 && (
          <>
            <Money nano={BigInt(shortfall)} /> more is needed to unblock requests.{" "}
          </>
        )}
        {refunded > 0n && <>{formatMoney(refunded)} of it was refunded.</>}
      </>
    );
  }
  if (isOpenOrder(purchase)) {
    return (
      <>
        Your credits are added as soon as the payment provider confirms the payment, even if you close this page. If the
        confirmation is lost, the server checks the payment after 15 minutes. To check immediately, select Check payment
        now. Each payment is credited exactly once.
      </>
    );
  }
  if (status === "failed")
    return "The payment provider declined the payment. You were not charged, and no credits were added.";
  if (status === "expired")
    return "The payment page expired before payment. You were not charged, and no credits were added.";
  if (status === "refunded") return `${formatMoney(refunded)} was refunded to the payer and deducted from the balance.`;
  if (status === "disputed")
    return "The payer's bank has disputed the payment. The credit is withheld until the dispute is resolved.";
  return "The amount paid differs from the amount ordered. An administrator is reviewing the payment.";
}
