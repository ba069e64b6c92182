import { Panel } from "../../components/panel.tsx";
import { RunwayMeter } from "../../components/runway-meter.tsx";
import type { Burn } from "../../components/runway-reading.ts";

const DAY_MS = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

const healthy: Burn = {
  perDay: 18_040_000_000n,
  timezone: "UTC",
  balance: 214_371_826_400n,
  runway: "days",
  daysLeft: 11.88,
  emptyAt: inDays(11.88),
  lowAt: inDays(4.88),
  blockedSince: null,
  pendingPurchases: [{ id: "ord_9QX4", amount: 100_000_000_000n }],
};
const low: Burn = {
  ...healthy,
  balance: 81_180_000_000n,
  daysLeft: 4.5,
  emptyAt: inDays(4.5),
  lowAt: inDays(-2.5),
  pendingPurchases: [],
};
const blocked: Burn = { ...low, balance: -420_000_000n, daysLeft: 0, emptyAt: null, blockedSince: inDays(0) };
const unspent: Burn = { ...low, perDay: 0n, runway: "no_spend", daysLeft: null, emptyAt: null, lowAt: null };

/** Samples of the runway meter's states and sizes. */
export function RunwaySample() {
  const small = [healthy, low, blocked, unspent];
  return (
    <Panel title="Runway meter" note="bottom of the sidebar, on every signed-in page">
      <div className="grid gap-6">
        <div className="flex flex-wrap gap-6">
          {small.map((burn) => (
            <div
              key={String(burn.balance) + burn.perDay}
              className="w-[232px] rounded-b-panel border border-t-0 border-border bg-sunken"
            >
              <RunwayMeter burn={burn} size="sidebar" />
            </div>
          ))}
          <div className="flex h-[52px] w-[232px] items-center border-b border-border bg-sunken">
            <RunwayMeter burn={healthy} size="bar" />
          </div>
        </div>
        <RunwayMeter burn={healthy} size="large" />
        <RunwayMeter burn={low} size="large" />
        <RunwayMeter burn={blocked} size="large" />
      </div>
    </Panel>
  );
}
