import { Link, useNavigate } from "@tanstack/react-router";
import type { Operations } from "@tollgate/sdk/platform";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { CapBar } from "../../components/cap-bar.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { Panel } from "../../components/panel.tsx";
import { StatusDot } from "../../components/status-dot.tsx";
import { useZone } from "../../components/zone.ts";
import { plural } from "../../format/plural.ts";
import { useSearchState } from "../../router-search.ts";
import { useCreateShortcut } from "../../shell/shortcuts.ts";
import { TeamDialog } from "./team-dialog.tsx";
import type { Team } from "./team-draft.ts";
import { thisMonth } from "./this-month.ts";

type Query = NonNullable<Operations["listTeams"]["query"]>;

const PAGE_SIZE = 50;

/** The organization's teams with members, spend, and limits. */
export function TeamsPage() {
  const navigate = useNavigate();
  const { leads } = useMe();
  const zone = useZone();
  const month = thisMonth(zone);
  const [state, set] = useSearchState({ search: "", status: "", sort: "name", page: "1" });
  const [isCreating, setCreating] = useState(false);
  useCreateShortcut(() => leads && setCreating(true));
  const query = {
    page: Number(state.page),
    pageSize: PAGE_SIZE,
    sort: state.sort,
    ...(state.search !== "" && { search: state.search }),
    ...(state.status !== "" && { status: state.status }),
  } as Query;
  const teams = useCall("listTeams", { query });
  const usage = useCall("getUsage", { query: { startDate: month.startDate, groupBy: ["team"] } }, { staleMs: 60_000 });
  const spend = new Map(usage.data?.data.map(({ group, cost }) => [group.team ?? "", cost]));
  const spendOf = ({ id }: Team) => (usage.data === undefined ? null : (spend.get(id) ?? 0n));
  const isFiltered = state.search !== "" || state.status !== "";
  return (
    <Page
      title="Teams"
      note={teams.data === undefined ? undefined : plural(teams.data.meta.total, "team")}
      wide
      action={
        <Button
          variant="primary"
          icon={<Plus size={16} strokeWidth={1.5} aria-hidden />}
          disabledReason={leads ? null : "Only organization owners and admins can create teams"}
          onClick={() => setCreating(true)}
        >
          Create team
        </Button>
      }
      filters={
        <FilterBar
          values={state}
          onChange={(change) => set({ ...change, page: "1" })}
          search={{
            placeholder: "Team name",
            value: state.search,
            onChange: (search) => set({ search, page: "1" }),
          }}
          filters={[
            {
              name: "status",
              label: "Status",
              kind: "one",
              options: [
                { value: "active", label: "Active" },
                { value: "blocked", label: "Blocked" },
              ],
            },
          ]}
        />
      }
    >
      <Panel flush>
        <Loaded query={teams} what="The teams">
          {({ data, meta }) => (
            <DataTable
              label="Teams"
              rows={data}
              rowKey={({ id }) => id}
              columns={columnsOf(month.short, spendOf, usage.data?.totals.cost)}
              sort={state.sort}
              onSort={(sort) => set({ sort, page: "1" })}
              onOpen={({ id }) => void navigate({ to: "/teams/$teamId", params: { teamId: id } })}
              card={(team) => (
                <>
                  <span className="flex justify-between gap-3">
                    <span className="min-w-0 truncate font-medium">{team.name}</span>
                    <Status team={team} />
                  </span>
                  <span className="flex justify-between gap-3 text-meta text-muted">
                    <span>
                      {plural(team.memberCount, "member")}, {plural(team.keyCount, "key")}
                    </span>
                    <Spend nano={spendOf(team)} />
                  </span>
                </>
              )}
              footer={<Pager meta={meta} onPage={(page) => set({ page: String(page) })} what="teams" />}
              empty={
                isFiltered ? (
                  <NoMatches
                    what="teams"
                    filters={[
                      ...(state.search === ""
                        ? []
                        : [{ label: `Name: ${state.search}`, onRemove: () => set({ search: "" }) }]),
                      ...(state.status === ""
                        ? []
                        : [{ label: `Status: ${state.status}`, onRemove: () => set({ status: "" }) }]),
                    ]}
                    onClear={() => set({ search: "", status: "", page: "1" })}
                  />
                ) : (
                  <EmptyState
                    title={leads ? "No teams yet" : "You're not a member of any team"}
                    action={leads && <Button onClick={() => setCreating(true)}>Create team</Button>}
                  >
                    {leads
                      ? "A team groups API keys and the members who use them, and has its own budget."
                      : "Ask an organization owner or admin to add you to a team."}
                  </EmptyState>
                )
              }
            />
          )}
        </Loaded>
      </Panel>
      {isCreating && (
        <TeamDialog
          onClose={() => setCreating(false)}
          onCreated={({ id }) => void navigate({ to: "/teams/$teamId", params: { teamId: id } })}
        />
      )}
    </Page>
  );
}

function columnsOf(
  month: string,
  spendOf: (team: Team) => bigint | null,
  total: bigint | undefined,
): readonly Column<Team>[] {
  return [
    {
      id: "name",
      header: "Name",
      sort: "name",
      cell: ({ id, name }) => (
        <Link
          to="/teams/$teamId"
          params={{ teamId: id }}
          className="block max-w-72 truncate font-medium xl:max-w-112 hover:underline"
        >
          {name}
        </Link>
      ),
    },
    { id: "members", header: "Members", align: "right", priority: 2, cell: ({ memberCount }) => memberCount },
    { id: "keys", header: "Keys", align: "right", priority: 2, cell: ({ keyCount }) => keyCount },
    {
      id: "spend",
      header: `Spend in ${month}`,
      align: "right",
      cell: (team) => <Spend nano={spendOf(team)} total={total} />,
    },
    {
      id: "cap",
      header: "Cap",
      width: "260px",
      priority: 1,
      cell: ({ budget }) => (
        <CapBar
          spent={budget?.spent ?? 0n}
          limit={budget?.limit ?? null}
          {...(budget !== null && { resetsAt: budget.resetsAt })}
        />
      ),
    },
    {
      id: "models",
      header: "Models",
      priority: 1,
      cell: ({ models }) => (models === null ? "All" : plural(models.length, "model")),
    },
    { id: "status", header: "Status", cell: (team) => <Status team={team} /> },
  ];
}

function Status({ team }: { readonly team: Team }) {
  if (team.status === "active") return <StatusDot shape="ok">Active</StatusDot>;
  return (
    <StatusDot shape="bad">{team.blockedReason === "negative_balance" ? "Blocked (no credit)" : "Blocked"}</StatusDot>
  );
}

/** Shows an amount; null while it is loading. */
function Spend({ nano, total }: { readonly nano: bigint | null; readonly total?: bigint | undefined }) {
  return nano === null ? <span className="text-faint">…</span> : <Money nano={nano} total={total} />;
}
