import { RefreshCw } from "lucide-react";
import { useConfig } from "../../api/config.ts";
import { useMe } from "../../api/me.ts";
import { useChange } from "../../api/queries.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { toTypedUsd } from "../../format/money.ts";
import { isOpenOrder, type Purchase } from "./purchase-state.tsx";

interface OrderActionsProps {
  readonly purchase: Purchase;
  readonly onAgain: (amount: string) => void;
}

/** Actions available in the order's current state. */
export function OrderActions({ purchase, onAgain }: OrderActionsProps) {
  const { leads } = useMe();
  const { payments } = useConfig();
  const check = useChange("checkPurchase", {
    invalidates: ["getPurchase", "listPurchases", "getBurnRate", "getQuota", "listLedger", "listTeams"],
    done: ({ purchase: { status } }) => answers[status] ?? "Payment status updated",
  });
  const { id, status, amount } = purchase;
  if (isOpenOrder(purchase)) {
    return (
      <span className="inline-flex flex-wrap justify-end gap-2">
        {payments === "fake" && status === "pending" && leads && (
          <ButtonLink size="sm" to="/checkout/$purchaseId" params={{ purchaseId: id }}>
            Continue to payment
          </ButtonLink>
        )}
        <Button
          size="sm"
          icon={<RefreshCw size={14} strokeWidth={1.5} aria-hidden />}
          busy={check.isPending}
          disabledReason={leads ? null : "Only organization owners and admins can check payments"}
          onClick={() => check.mutate({ params: { id } })}
        >
          Check payment now
        </Button>
      </span>
    );
  }
  if (status === "failed" || status === "expired") {
    return (
      <Button size="sm" onClick={() => onAgain(toTypedUsd(amount).replace(/\.00$/, ""))}>
        Try again
      </Button>
    );
  }
  return (
    <ButtonLink size="sm" variant="ghost" to="/credits/receipts/$purchaseId" params={{ purchaseId: id }}>
      Receipt
    </ButtonLink>
  );
}

const answers: Readonly<Record<string, string>> = {
  pending: "No payment received for this order yet",
  processing: "The payment provider is still processing the payment",
  paid: "Paid and credited",
  failed: "The payment provider declined the payment",
  expired: "Order expired unpaid",
};
