import type { Operations } from "@tollgate/sdk/platform";
import type { ReactNode } from "react";
import { Sparkline } from "../../charts/sparkline.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";
import { RunwayMeter } from "../../components/runway-meter.tsx";
import { readRunway } from "../../components/runway-reading.ts";
import { plural } from "../../format/plural.ts";

export type Burn = Operations["getBurnRate"]["answer"]["burn"];

interface BalancePanelProps {
  readonly burn: Burn;
  /** Number of requests in flight; null if unknown. */
  readonly calls: number | null;
}

/** Balance, whose digits the proof beside it shows in full, the amount held by requests in flight, and how long the balance will last. */
export function BalancePanel({ burn, calls }: BalancePanelProps) {
  return (
    <Panel>
      <div className="grid gap-5">
        <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:flex sm:flex-wrap sm:justify-between">
          <div className="max-sm:col-span-2">
            <dt className="text-meta text-muted">Balance</dt>
            <dd
              className={`text-title font-semibold tracking-[-0.015em] tabular-nums sm:text-figure ${burn.balance < 0n ? "text-danger" : ""}`}
            >
              <Money nano={burn.balance} />
            </dd>
          </div>
          <Figure
            label={
              calls === null || calls === 0
                ? "Held by requests in flight"
                : `Held by ${plural(calls, "request")} in flight`
            }
          >
            <Money nano={burn.held} />
          </Figure>
          <Figure label="Available">
            <Money nano={burn.available} />
          </Figure>
          <Figure label="Burn rate, 7-day average">
            <span className="flex items-center gap-3">
              <span className="max-lg:hidden">
                <Sparkline values={burn.days.slice(0, -1).map(({ cost }) => cost)} kind="area" width={92} height={22} />
              </span>
              <span>
                <Money nano={burn.perDay} />
                <span className="text-table font-normal tracking-normal text-muted"> per day</span>
              </span>
            </span>
          </Figure>
        </dl>
        <RunwayMeter burn={burn} size="large" />
        <p className="text-meta text-muted">{describe(burn)}</p>
      </div>
    </Panel>
  );
}

function describe(burn: Burn): ReactNode {
  const { runway, daysLeft, timezone, pendingPurchases, blockedSince, blockedTeams } = burn;
  const pending =
    readRunway(burn).withPending === null
      ? null
      : ` Outlined: ${plural(pendingPurchases.length, "order")} not yet credited.`;
  if (blockedSince !== null) {
    return (
      <>
        <strong className="font-semibold text-danger">Requests are refused.</strong>{" "}
        {plural(blockedTeams, "team is", "teams are")} blocked until the balance is $0 or more. Adding credits unblocks
        them immediately.{pending}
      </>
    );
  }
  if (runway === "no_spend") return <>No spend in the last 7 days.{pending}</>;
  if (daysLeft === null) return <>More than a year left at this burn rate.{pending}</>;
  return (
    <>
      <strong className="font-semibold text-text">{daysLeft.toFixed(1)} days</strong> left at this burn rate. Times in{" "}
      {timezone}.{pending}
    </>
  );
}

function Figure({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="text-meta text-muted">{label}</dt>
      <dd className="text-section font-medium tracking-[-0.01em] sm:text-title">{children}</dd>
    </div>
  );
}
