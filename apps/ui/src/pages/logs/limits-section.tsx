import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { useCall } from "../../api/queries.ts";
import { CapBar } from "../../components/cap-bar.tsx";
import { DetailSection } from "../../components/detail-panel.tsx";
import type { CallDetail } from "../../components/logged-call.ts";
import { Time } from "../../components/time.tsx";

const periods = {
  none: "in total",
  daily: "today",
  weekly: "this week",
  monthly: "this month",
  other: "this period",
} as const;

/** Current limits of the request's key. Renders nothing if the key no longer exists. */
export function LimitsSection({ log }: { readonly log: CallDetail }) {
  const { data } = useCall("getApiKey", { params: { id: log.apiKeyId } }, { staleMs: 30_000 });
  const key = data?.apiKey;
  if (key === undefined) return null;
  const { budget, rateLimit } = key;
  return (
    <DetailSection title="Key limits" note="current values">
      <dl className="grid gap-x-5 gap-y-3 text-table sm:grid-cols-3">
        <Limit label="Requests per minute" limit={rateLimit?.rpm} />
        <Limit label="Tokens per minute" limit={rateLimit?.tpm} />
        <div>
          <dt className="text-meta text-muted">Spend {budget === null ? "cap" : periods[budget.period]}</dt>
          {budget === null ? (
            <dd className="text-muted">No cap</dd>
          ) : (
            <dd>
              {formatMoney(budget.remaining)} left
              <CapBar spent={budget.spent} limit={budget.limit} />
              {budget.resetsAt !== null && (
                <span className="block text-meta text-muted">
                  resets <Time at={budget.resetsAt} form="minute" />
                </span>
              )}
            </dd>
          )}
        </div>
      </dl>
    </DetailSection>
  );
}

function Limit({ label, limit }: { readonly label: string; readonly limit: number | null | undefined }) {
  return (
    <div>
      <dt className="text-meta text-muted">{label}</dt>
      <dd>
        {limit === null || limit === undefined ? <span className="text-muted">No key limit</span> : formatCount(limit)}
      </dd>
    </div>
  );
}
