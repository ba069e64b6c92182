import { useNavigate, useParams } from "@tanstack/react-router";
import type { Operations } from "@tollgate/sdk/platform";
import { useConfig } from "../../api/config.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";

type Outcome = Operations["simulatePayment"]["body"]["outcome"];

/** Checkout of the simulated payment provider. It states that no money is charged. */
export function CheckoutPage() {
  const { purchaseId } = useParams({ strict: false }) as { purchaseId: string };
  const { payments } = useConfig();
  const navigate = useNavigate();
  const purchase = useCall("getPurchase", { params: { id: purchaseId } });
  const back = () => void navigate({ to: "/credits", search: { order: purchaseId } });
  const pay = useChange("simulatePayment", {
    invalidates: ["getPurchase", "listPurchases", "getBurnRate", "listLedger", "getQuota", "listTeams"],
    onDone: back,
  });
  const choose = (outcome: Outcome) => pay.mutate({ params: { id: purchaseId }, body: { outcome } });
  return (
    <Page title="Simulated payment">
      <Panel className="max-w-md">
        <div className="grid gap-4">
          <Notice tone="info">This server doesn't charge real money. Choose the payment result to simulate.</Notice>
          <Loaded query={purchase} what="The order">
            {({ purchase: { id, amount, fee, tax } }) => (
              <dl className="grid grid-cols-[1fr_auto] gap-y-1 text-table">
                <dt className="text-muted">Order</dt>
                <dd className="font-mono">{id}</dd>
                <dt className="text-muted">Credits</dt>
                <dd>
                  <Money nano={amount} />
                </dd>
                <dt className="font-semibold">Total</dt>
                <dd className="font-semibold">
                  <Money nano={amount + fee + tax} />
                </dd>
              </dl>
            )}
          </Loaded>
          {payments === "fake" ? (
            <div className="grid gap-2">
              <Button variant="primary" size="lg" busy={pay.isPending} onClick={() => choose("paid")}>
                Pay
              </Button>
              <Button onClick={() => choose("processing")}>Simulate a pending payment</Button>
              <Button onClick={() => choose("failed")}>Simulate a declined card</Button>
              <Button variant="ghost" onClick={back}>
                Back without paying
              </Button>
            </div>
          ) : (
            <Notice tone="warning">This server accepts real payments. This page is only for simulated payments.</Notice>
          )}
        </div>
      </Panel>
    </Page>
  );
}
