import { FileText } from "lucide-react";
import { useConfig } from "../../api/config.ts";
import { useCall } from "../../api/queries.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useSearchState } from "../../router-search.ts";
import { AlertPanel } from "./alert-panel.tsx";
import { BalancePanel } from "./balance-panel.tsx";
import { BalanceProof } from "./balance-proof.tsx";
import { BuyPanel } from "./buy-panel.tsx";
import { GrantPanel } from "./grant-panel.tsx";
import { LedgerPanel } from "./ledger-panel.tsx";
import { OrdersPanel } from "./orders-panel.tsx";

/** Balance, runway, ledger entries, orders, and ways to add credits. */
export function CreditsPage() {
  const { payments } = useConfig();
  const [state, set] = useSearchState({ order: "", orders: "1", amount: "", movements: "all", before: "" });
  const burn = useCall("getBurnRate", {}, { staleMs: 10_000, refetchMs: 30_000 });
  const quota = useCall("getQuota", {}, { staleMs: 10_000, refetchMs: 30_000 });
  const sells = payments === "stripe" || payments === "fake";
  const lastPaid = useCall("listPurchases", { query: { status: ["paid"], pageSize: 1 } }, { enabled: sells });
  const receipt = lastPaid.data?.data[0];
  return (
    <Page
      title="Credits"
      wide
      action={
        receipt !== undefined && (
          <ButtonLink
            to="/credits/receipts/$purchaseId"
            params={{ purchaseId: receipt.id }}
            icon={<FileText size={16} strokeWidth={1.5} aria-hidden />}
          >
            Latest receipt
          </ButtonLink>
        )
      }
    >
      <Loaded query={burn} what="The balance" skeleton={<Skeleton className="h-64" />}>
        {({ burn: reading }) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4 max-sm:gap-3 xl:grid-cols-[minmax(0,1fr)_minmax(340px,400px)] xl:grid-rows-[auto_1fr]">
            <BalancePanel burn={reading} calls={quota.data?.quota.activeHolds ?? null} />
            <div className="grid xl:row-span-2">
              {sells ? (
                <BuyPanel
                  burn={reading}
                  amount={state.amount}
                  onAmount={(amount) => set({ amount }, { replace: true })}
                />
              ) : (
                <GrantPanel balance={reading.balance} />
              )}
            </div>
            <div className="grid grid-cols-[minmax(0,1fr)] gap-4 max-sm:gap-3 sm:grid-cols-[repeat(2,minmax(0,1fr))]">
              <BalanceProof query={quota} />
              <AlertPanel threshold={quota.data?.quota.lowBalanceThreshold} perDay={reading.perDay} />
            </div>
          </div>
        )}
      </Loaded>
      {sells && (
        <OrdersPanel
          open={state.order}
          onOpen={(order) => set({ order })}
          page={Number(state.orders)}
          onPage={(page) => set({ orders: String(page) })}
          onAgain={(amount) => set({ amount, order: "" })}
        />
      )}
      <LedgerPanel
        movements={state.movements}
        onMovements={(movements) => set({ movements, before: "" })}
        before={state.before}
        onBefore={(before) => set({ before })}
        onOrder={(order) => set({ order })}
      />
    </Page>
  );
}
