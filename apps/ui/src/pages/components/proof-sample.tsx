import { OrderTimeline } from "../../components/order-timeline.tsx";
import { Panel } from "../../components/panel.tsx";
import { ReconciliationBar } from "../../components/reconciliation-bar.tsx";
import { RefusalCard } from "../../components/refusal-card.tsx";
import { RouteList } from "../../components/route-list.tsx";

const COST = 238_312_887_040n;
const reading = {
  rollups: { cost: COST, buckets: 1_305 },
  logs: { cost: COST, rows: 221_306 },
  ledger: { cost: COST, postings: 8_914 },
  unbilled: 0n,
  difference: 0n,
  checkedAt: "2026-11-12T14:05:00Z",
};
const apart = { ...reading, rollups: { cost: COST - 41_200n, buckets: 1_305 }, difference: 41_200n };

const timeline = [
  { state: "created", at: "2026-11-12T14:03:12Z", reference: null },
  { state: "awaiting_payment", at: "2026-11-12T14:03:14Z", reference: null },
  { state: "paid", at: "2026-11-12T14:04:41Z", reference: "pi_3QK9dX" },
  { state: "credited", at: null, reference: null },
] as const;
const failed = [
  { state: "created", at: "2026-11-03T16:40:02Z", reference: null },
  { state: "awaiting_payment", at: "2026-11-03T16:40:05Z", reference: null },
  { state: "failed", at: "2026-11-03T16:41:30Z", reference: null },
] as const;

const refusal = {
  code: "budget_exceeded",
  message: "Key ci-bot reached its $25.00 monthly cap ($25.03 spent, resets 1 Dec 00:00 UTC).",
  limit: {
    kind: "spend_month",
    ownerType: "key",
    ownerName: "ci-bot",
    current: "$25.03",
    maximum: "$25.00",
    resetsAt: "2026-12-01T00:00:00Z",
  },
  fix: "Raise the key's cap, or wait until the cap resets.",
  docUrl: "https://docs.example/errors/budget_exceeded",
};

/** Samples of reconciliation and error components. */
export function ProofSample() {
  return (
    <>
      <section className="grid gap-3" aria-label="Reconciliation">
        <ReconciliationBar reading={reading} />
        <ReconciliationBar reading={apart} rows={<span className="underline">2 rows</span>} />
      </section>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Panel title="Order timeline">
          <div className="grid gap-6">
            <OrderTimeline timeline={timeline} expectation="next check in 8 s" />
            <OrderTimeline timeline={failed} />
          </div>
        </Panel>
        <Panel title="Route">
          <RouteList
            steps={[
              {
                outcome: "failed",
                name: "anthropic-direct",
                status: 529,
                note: "overloaded",
                detail: "Picked by weight 70. In cooldown until 14:05:53. Not billed.",
                durationMs: 212,
              },
              {
                outcome: "served",
                name: "bedrock-eu-central-1",
                status: 200,
                note: "served",
                detail: "Next in order, same model group. Failed before the first byte was sent to the client.",
                durationMs: 4_605,
              },
              { outcome: "fallback", name: "gpt-5", note: "if bedrock-eu-central-1 fails twice" },
            ]}
          />
        </Panel>
      </div>
      <RefusalCard refusal={refusal} />
    </>
  );
}
