import { formatLimitValue } from "@tollgate/domain/figures/limit-text.ts";
import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { useCall } from "../../api/queries.ts";
import { ButtonLink } from "../../components/button.tsx";
import { DetailSection } from "../../components/detail-panel.tsx";
import type { CallDetail } from "../../components/logged-call.ts";
import { type Refusal, RefusalCard } from "../../components/refusal-card.tsx";

interface RefusalSectionProps {
  readonly log: CallDetail;
  readonly refusal: NonNullable<CallDetail["refusal"]>;
}

/** The limit that refused the request, and the limit's owner if it is still known, with fixes. */
export function RefusalSection({ log, refusal }: RefusalSectionProps) {
  const spent = useSpentBudget(log);
  const limit = refusal.limit ?? spent;
  const message =
    limit === null || refusal.code !== "budget_exceeded"
      ? refusal.message
      : `${limit.ownerType === "key" ? "Key" : "Team"} ${limit.ownerName} reached its cap of ${formatLimitValue(limit.kind, limit.maximum)}.`;
  return (
    <DetailSection>
      <RefusalCard
        refusal={{
          ...refusal,
          outcome: log.class === "rejected" ? "rejected" : "refused",
          message,
          limit,
          docUrl: null,
        }}
        actions={<RefusalActions log={log} />}
      />
    </DetailSection>
  );
}

/** Returns the exhausted budget of the key or its team, or null if neither budget is exhausted now. */
function useSpentBudget(log: CallDetail): Refusal["limit"] {
  // The limit as it is now is a substitute for requests from before the limit was recorded.
  const isWanted = log.errorCode === "budget_exceeded" && log.refusal?.limit == null;
  const key = useCall("getApiKey", { params: { id: log.apiKeyId } }, { enabled: isWanted, staleMs: 30_000 });
  const teams = useCall("listTeams", { query: { pageSize: 100 } }, { enabled: isWanted, staleMs: 60_000 });
  if (!isWanted) return null;
  const team = teams.data?.data.find(({ id }) => id === log.teamId);
  const owners = [
    { type: "key", record: key.data?.apiKey },
    { type: "team", record: team },
  ] as const;
  for (const { type, record } of owners) {
    const budget = record?.budget ?? null;
    if (record === undefined || budget === null || budget.remaining > 0n) continue;
    return {
      kind: budget.period === "none" ? "spend cap" : `${budget.period} spend cap`,
      ownerType: type,
      ownerName: record.name,
      current: formatExactMoney(budget.spent),
      maximum: formatExactMoney(budget.limit),
      resetsAt: budget.resetsAt,
    };
  }
  return null;
}

function RefusalActions({ log }: { readonly log: CallDetail }) {
  const isCredit = log.errorCode === "QUOTA_EXCEEDED" || log.errorCode === "TEAM_BLOCKED";
  return (
    <>
      {isCredit ? (
        <ButtonLink size="sm" variant="primary" to="/credits">
          Buy credits
        </ButtonLink>
      ) : (
        <ButtonLink
          size="sm"
          variant="primary"
          to="/keys/$keyId"
          params={{ keyId: log.apiKeyId }}
          search={{ tab: "settings" }}
        >
          {log.errorCode === "budget_exceeded" ? "Raise cap" : "Edit key"}
        </ButtonLink>
      )}
      <ButtonLink size="sm" to="/keys/$keyId" params={{ keyId: log.apiKeyId }}>
        Open key {log.apiKeyName ?? ""}
      </ButtonLink>
      <ButtonLink size="sm" variant="ghost" to="/logs" search={{ code: [log.errorCode ?? ""], key: [log.apiKeyId] }}>
        More like this
      </ButtonLink>
    </>
  );
}
