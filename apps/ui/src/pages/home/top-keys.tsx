import { formatMoneyColumn } from "@tollgate/domain/figures/money-text.ts";
import { formatCount, formatShare } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { useCall } from "../../api/queries.ts";
import { ButtonLink } from "../../components/button.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { KeyLink } from "../../components/key-link.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../components/panel.tsx";
import { plural } from "../../format/plural.ts";
import { type Ranked, rankTop } from "./rank-top.ts";

type Report = Operations["getUsage"]["answer"];
type ApiKey = Operations["listApiKeys"]["answer"]["data"][number];

interface Row extends Ranked {
  readonly name: string;
  readonly team: string;
}

/** The most expensive keys, with their share of the total. */
export function TopKeys({ time }: { readonly time: { readonly startDate: string; readonly endDate?: string } }) {
  const usage = useCall("getUsage", { query: { ...time, groupBy: ["apiKey"] } });
  const keys = useCall("listApiKeys", { query: { pageSize: 100 } }, { staleMs: 60_000 });
  const teams = useCall("listTeams", { query: { pageSize: 100 } }, { staleMs: 60_000 });
  const keysById = new Map(keys.data?.data.map((key) => [key.id, key]));
  const teamNames = new Map(teams.data?.data.map(({ id, name }) => [id, name]));
  const count = keys.data?.meta.total;
  return (
    <Panel
      title="Top keys"
      flush
      actions={
        <ButtonLink to="/keys" variant="ghost" size="sm">
          {count === undefined ? "All keys" : `All ${formatCount(count)}`}
        </ButtonLink>
      }
    >
      <Loaded query={usage} what="Usage by key">
        {(report) => <KeyTable report={report} keysById={keysById} teamNames={teamNames} />}
      </Loaded>
    </Panel>
  );
}

interface KeyTableProps {
  readonly report: Report;
  readonly keysById: ReadonlyMap<string, ApiKey>;
  readonly teamNames: ReadonlyMap<string, string>;
}

function KeyTable({ report, keysById, teamNames }: KeyTableProps) {
  const { data, totals } = report;
  const money = formatMoneyColumn([totals.cost]);
  const rows = rankTop(data.map(({ group, requests, cost }) => ({ id: group.apiKey ?? "", requests, cost }))).map(
    (sum): Row => {
      const key = keysById.get(sum.id);
      const name = sum.others > 0 ? plural(sum.others, "other key") : (key?.name ?? `Key …${sum.id.slice(-6)}`);
      return { ...sum, name, team: key === undefined ? "" : (teamNames.get(key.team_id) ?? "") };
    },
  );
  const columns: readonly Column<Row>[] = [
    { id: "key", header: "Key", cell: (row) => <KeyName row={row} />, footer: "Total" },
    {
      id: "team",
      header: "Team",
      priority: 1,
      cell: ({ team }) => (
        <span className="block max-w-32 truncate text-muted" title={team}>
          {team}
        </span>
      ),
    },
    {
      id: "requests",
      header: "Requests",
      align: "right",
      cell: ({ requests }) => formatCount(requests),
      footer: formatCount(totals.requests),
    },
    { id: "spend", header: "Spend", align: "right", cell: ({ cost }) => money(cost), footer: money(totals.cost) },
    ...(totals.cost === 0n
      ? []
      : [
          {
            id: "share",
            header: "Share",
            align: "right" as const,
            cell: ({ cost }: Row) => (
              <span className="text-muted">{formatShare(Number((cost * 10_000n) / totals.cost) / 10_000)}</span>
            ),
            footer: "100%",
          },
        ]),
  ];
  return (
    <DataTable
      label="Top keys"
      rows={rows}
      rowKey={({ id, others }) => `${others} ${id}`}
      columns={columns}
      card={(row) => (
        <span className="flex justify-between gap-3">
          <span className="min-w-0">
            <KeyName row={row} />
            <span className="block truncate text-meta text-muted">{row.team}</span>
          </span>
          <span className="shrink-0 text-right">
            {money(row.cost)}
            <span className="block text-meta text-muted">{plural(row.requests, "request")}</span>
          </span>
        </span>
      )}
      empty={<p className="px-4 py-6 text-table text-muted">No keys used in this period.</p>}
    />
  );
}

function KeyName({ row: { id, name, others } }: { readonly row: Row }) {
  if (others > 0 || id === "") return <span className="text-muted">{name}</span>;
  return <KeyLink id={id} name={name} />;
}
