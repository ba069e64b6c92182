import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { CapMeter } from "../../components/cap-meter.tsx";
import { capShare } from "../../components/cap-share.ts";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import type { Team } from "./team-draft.ts";

/** The team's limits, and how much of the cap is used. */
export function LimitsPanel({ team }: { readonly team: Team }) {
  const { budget, rateLimit, models } = team;
  return (
    <Panel title="Limits" note="for this team">
      <dl className="grid gap-4 text-table">
        <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3">
          <dt>{budget === null ? "Spend" : `Spend ${periods[budget.period]}`}</dt>
          <dd>
            {budget === null ? (
              <span className="text-muted">No cap</span>
            ) : (
              <>
                <strong className="font-semibold">{formatMoney(budget.spent)}</strong>{" "}
                <span className="text-muted">of {formatMoney(budget.limit)}</span>
              </>
            )}
          </dd>
          {budget !== null && (
            <dd className="col-span-2">
              <CapMeter share={capShare(budget.spent, budget.limit)} className="mt-1.5" />
              <p className="mt-1 text-meta text-muted">
                {budget.resetsAt === null ? (
                  "never resets"
                ) : (
                  <>
                    resets <Time at={budget.resetsAt} form="minute" zone="UTC" /> UTC
                  </>
                )}
              </p>
            </dd>
          )}
        </div>
        <Limit label="Requests per minute" limit={rateLimit.rpm} />
        <Limit label="Tokens per minute" limit={rateLimit.tpm} />
        <Limit label="Max concurrent requests" limit={rateLimit.maxParallel} />
        <div className="flex justify-between gap-3">
          <dt>Models</dt>
          <dd className="min-w-0 truncate text-muted" title={models?.join(", ")}>
            {models === null ? "All" : models.join(", ")}
          </dd>
        </div>
      </dl>
    </Panel>
  );
}

const periods = {
  daily: "today",
  weekly: "this week",
  monthly: "this month",
  none: "in total",
  other: "this period",
} as const;

function Limit({ label, limit }: { readonly label: string; readonly limit: number | null }) {
  return (
    <div className="flex justify-between gap-3">
      <dt>{label}</dt>
      <dd className={limit === null ? "text-muted" : "font-medium"}>
        {limit === null ? "No limit" : formatCount(limit)}
      </dd>
    </div>
  );
}
