import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { CapBar } from "../../components/cap-bar.tsx";
import type { Column } from "../../components/data-table.tsx";
import { KeyLink } from "../../components/key-link.tsx";
import { KeyStatus } from "../../components/key-status.tsx";
import { Money } from "../../components/money.tsx";
import { Time } from "../../components/time.tsx";
import { plural } from "../../format/plural.ts";
import { type ApiKey, describeModels, periodLabels, type Team } from "./api-key.ts";
import { KeyActions } from "./key-actions.tsx";
import type { NewSecret } from "./new-secret.ts";

export type KeyQuery = NonNullable<Operations["listApiKeys"]["query"]>;

interface ColumnFacts {
  readonly teamOf: ReadonlyMap<string, Team>;
  readonly rows: readonly ApiKey[];
  readonly total: number;
  readonly now: Date;
  readonly onSecret: (made: NewSecret) => void;
}

/** Returns the columns of the key list, with totals. */
export function keyColumns({ teamOf, rows, total, now, onSecret }: ColumnFacts): readonly Column<ApiKey>[] {
  const month = now.toLocaleDateString("en-GB", { month: "short", timeZone: "UTC" });
  const spent = rows.reduce((sum, { usage }) => sum + usage.monthly, 0n);
  return [
    {
      id: "name",
      header: "Name",
      sort: "name",
      cell: ({ id, name }) => <KeyLink id={id} name={name} className="max-w-48" />,
      footer: plural(total, "key"),
    },
    {
      id: "key",
      header: "Key",
      priority: 3,
      cell: ({ token }) => <span className="font-mono text-muted">{token}</span>,
    },
    {
      id: "team",
      header: "Team",
      priority: 2,
      cell: ({ team_id }) => (
        <span className="block max-w-32 truncate" title={teamOf.get(team_id)?.name}>
          {teamOf.get(team_id)?.name ?? "…"}
        </span>
      ),
    },
    {
      id: "models",
      header: "Models",
      priority: 1,
      cell: ({ models }) => (
        <span className="block max-w-44 truncate text-muted" title={models?.join(", ")}>
          {describeModels(models)}
        </span>
      ),
    },
    {
      id: "spend",
      header: `Spend in ${month}`,
      align: "right",
      cell: ({ usage }) => <Money nano={usage.monthly} total={spent} />,
      footer: <Money nano={spent} total={spent} />,
    },
    {
      id: "cap",
      header: "Cap",
      width: "200px",
      priority: 6,
      cell: (key) => <Cap apiKey={key} team={teamOf.get(key.team_id)} />,
      // The text takes no layout width so that it overflows into the empty cells that follow.
      footer: <span className="inline-block w-0 font-normal whitespace-nowrap text-muted">{resetText(now)}</span>,
    },
    {
      id: "used",
      header: "Last used",
      sort: "lastUsedAt",
      priority: 5,
      cell: ({ lastUsedAt }) => (
        <span className="text-muted">
          <Time at={lastUsedAt} form="relative" />
        </span>
      ),
    },
    {
      id: "created",
      header: "Created",
      sort: "createdAt",
      priority: 0,
      cell: ({ createdAt }) => (
        <span className="text-muted">
          <Time at={createdAt} form="day" />
        </span>
      ),
    },
    { id: "status", header: "Status", cell: (key) => <KeyStatus state={key.state} /> },
    {
      id: "actions",
      header: <span className="sr-only">Actions</span>,
      align: "right",
      cell: (key) => <KeyActions apiKey={key} onSecret={onSecret} />,
    },
  ];
}

/** A key as a two-line card. */
export function KeyCard({ apiKey }: { readonly apiKey: ApiKey }) {
  return (
    <>
      <span className="flex items-center justify-between gap-3">
        <span className="min-w-0 truncate font-medium">{apiKey.name}</span>
        <KeyStatus state={apiKey.state} />
      </span>
      <span className="flex items-center justify-between gap-3 text-meta text-muted">
        <span className="min-w-0 truncate font-mono">{apiKey.token}</span>
        <span>
          {formatMoney(apiKey.usage.monthly)}
          {apiKey.budget !== null && ` of ${formatMoney(apiKey.budget.limit)}`}
        </span>
      </span>
    </>
  );
}

function Cap({ apiKey: { budget }, team }: { readonly apiKey: ApiKey; readonly team: Team | undefined }) {
  if (budget === null) {
    const teamCap = team?.budget ?? null;
    return (
      <span className="text-muted">{teamCap === null ? "No cap" : `No cap (team: ${formatMoney(teamCap.limit)})`}</span>
    );
  }
  return (
    <span className="flex items-center gap-2" title={`${formatMoney(budget.limit)} ${periodLabels[budget.period]}`}>
      <CapBar spent={budget.spent} limit={budget.limit} />
      {budget.period !== "monthly" && <span className="text-meta text-muted">{periodLabels[budget.period]}</span>}
    </span>
  );
}

/** Describes the current month and when monthly caps reset. Both are in UTC, as the caps are. */
function resetText(now: Date): string {
  const day = (at: Date) => at.toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  return `1 to ${day(now)}, caps reset ${day(next)} 00:00 UTC`;
}
