import type { UseQueryResult } from "@tanstack/react-query";
import type { Operations } from "@tollgate/sdk/platform";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";

type Quota = Operations["getQuota"]["answer"]["quota"];

/** Breakdown of the balance: all credits minus all debits. */
export function BalanceProof({ query }: { readonly query: UseQueryResult<Operations["getQuota"]["answer"], Error> }) {
  return (
    <Panel title="Balance breakdown" note="all time">
      <Loaded query={query} what="The totals">
        {({ quota }) => (
          <dl className="grid grid-cols-[minmax(0,1fr)_auto] gap-y-1.5 text-table">
            {linesOf(quota).map(({ label, amount }) => (
              <Line key={label} label={label} amount={amount} />
            ))}
            <dt className="border-t border-border pt-1.5 font-semibold">Balance</dt>
            <dd className="border-t border-border pt-1.5 text-right">
              <Money nano={quota.balance} form="exact" />
            </dd>
          </dl>
        )}
      </Loaded>
    </Panel>
  );
}

function Line({ label, amount }: { readonly label: string; readonly amount: bigint }) {
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd className="text-right">
        <Money nano={amount} form="exact" signed />
      </dd>
    </>
  );
}

function linesOf(quota: Quota) {
  const lines = [
    { label: "Purchased", amount: quota.totalPurchased },
    { label: "Granted", amount: quota.totalGranted },
    { label: "Used", amount: -quota.totalUsed },
    { label: "Adjusted", amount: quota.totalAdjusted },
    { label: "Refunded", amount: -quota.totalRefunded },
    { label: "Expired", amount: -quota.totalExpired },
  ];
  // Omit lines with an amount of zero, except the first three.
  return lines.filter(({ amount }, index) => index < 3 || amount !== 0n);
}
