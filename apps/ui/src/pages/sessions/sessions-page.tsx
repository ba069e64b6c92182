import { Link, useNavigate } from "@tanstack/react-router";
import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { useCall } from "../../api/queries.ts";
import { Badge } from "../../components/badge.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { plural } from "../../format/plural.ts";
import { useSearchState } from "../../router-search.ts";
import { RangePicker } from "../../shell/range-picker.tsx";
import { useRange } from "../../shell/use-range.ts";

type Session = Operations["listRequestSessions"]["answer"]["data"][number];
type Query = NonNullable<Operations["listRequestSessions"]["query"]>;

const PAGE_SIZE = 50;

/** Sessions that clients named in their requests, with what each of them cost. */
export function SessionsPage() {
  const navigate = useNavigate();
  const [state, set] = useSearchState({ range: "24h", session: "", key: [], sort: "-lastAt", page: "1" });
  const { range, zone } = useRange(state.range);
  const keys = useCall("listApiKeys", { query: { pageSize: 100 } }, { staleMs: 60_000 });
  const query = {
    startDate: range.startDate,
    ...(range.endDate !== undefined && { endDate: range.endDate }),
    ...(state.session !== "" && { session: state.session }),
    ...(state.key.length > 0 && { apiKey: state.key }),
    sort: state.sort,
    page: Number(state.page),
    pageSize: PAGE_SIZE,
  } as Query;
  const sessions = useCall("listRequestSessions", { query });
  const keyName = (id: string) => keys.data?.data.find((key) => key.id === id)?.name ?? id;
  const filters = [
    ...(state.session === ""
      ? []
      : [{ label: `Session: ${state.session}`, onRemove: () => set({ session: "", page: "1" }) }]),
    ...(state.key.length === 0
      ? []
      : [{ label: `Key: ${state.key.map(keyName).join(", ")}`, onRemove: () => set({ key: [], page: "1" }) }]),
  ];
  return (
    <Page
      title="Sessions"
      note={sessions.data === undefined ? undefined : plural(sessions.data.meta.total, "session")}
      wide
      action={
        <RangePicker
          value={state.range}
          range={range}
          zone={zone}
          onValue={(value) => set({ range: value, page: "1" })}
        />
      }
      filters={
        <FilterBar
          values={state}
          onChange={(change) => set({ ...change, page: "1" })}
          filters={[
            { name: "session", label: "Session", kind: "text" },
            {
              name: "key",
              label: "Key",
              kind: "many",
              options: (keys.data?.data ?? []).map(({ id, name, token }) => ({ value: id, label: name, note: token })),
            },
          ]}
        />
      }
    >
      <Panel flush>
        <Loaded query={sessions} what="The sessions">
          {({ data, meta }) => (
            <DataTable
              label="Sessions"
              rows={data}
              rowKey={({ session }) => session}
              columns={columnsOf(data)}
              sort={state.sort}
              onSort={(sort) => set({ sort, page: "1" })}
              onOpen={({ session }) => void navigate({ to: "/sessions/requests", search: { session } })}
              card={(session) => <SessionCard session={session} />}
              footer={<Pager meta={meta} onPage={(page) => set({ page: String(page) })} what="sessions" />}
              empty={
                filters.length > 0 ? (
                  <NoMatches
                    what="sessions"
                    filters={filters}
                    onClear={() => set({ session: "", key: [], page: "1" })}
                  />
                ) : (
                  <EmptyState title="No sessions in this period">
                    A session has the requests that name it with the field <code>prompt_cache_key</code> or the header{" "}
                    <code>x-session-id</code>. Coding agents send such a header on their own.
                  </EmptyState>
                )
              }
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}

function columnsOf(rows: readonly Session[]): readonly Column<Session>[] {
  const total = rows.reduce((sum, { cost }) => sum + cost, 0n);
  return [
    {
      id: "session",
      header: "Session",
      cell: ({ session }) => (
        <Link
          to="/sessions/requests"
          search={{ session }}
          title={session}
          className="block max-w-72 truncate font-mono hover:underline xl:max-w-112"
        >
          {session}
        </Link>
      ),
    },
    { id: "last", header: "Last request", sort: "lastAt", cell: ({ lastAt }) => <Time at={lastAt} /> },
    { id: "span", header: "Duration", align: "right", priority: 3, cell: (session) => spanOf(session) },
    {
      id: "requests",
      header: "Requests",
      align: "right",
      sort: "requests",
      cell: ({ requests }) => formatCount(requests),
    },
    { id: "failed", header: "Failed", align: "right", priority: 5, cell: ({ failed }) => <Failed count={failed} /> },
    {
      id: "tokens",
      header: "Tokens",
      align: "right",
      priority: 4,
      cell: ({ totalTokens }) => formatCount(totalTokens),
    },
    { id: "models", header: "Models", priority: 2, cell: ({ models }) => <Names names={models} /> },
    {
      id: "keys",
      header: "Keys",
      priority: 1,
      cell: ({ apiKeys }) => <Names names={apiKeys.map(({ id, name }) => name ?? id)} />,
    },
    {
      id: "cost",
      header: "Cost",
      align: "right",
      sort: "cost",
      cell: ({ cost }) => <Money nano={cost} total={total} />,
    },
  ];
}

function SessionCard({ session: row }: { readonly session: Session }) {
  return (
    <>
      <span className="flex justify-between gap-3">
        <span className="min-w-0 truncate font-mono">{row.session}</span>
        <Money nano={row.cost} />
      </span>
      <span className="flex justify-between gap-3 text-meta text-muted">
        <span>
          {plural(row.requests, "request")}
          {row.failed > 0 && `, ${formatCount(row.failed)} failed`}
        </span>
        <Time at={row.lastAt} />
      </span>
    </>
  );
}

function Names({ names }: { readonly names: readonly string[] }) {
  const text = names.join(", ");
  return (
    <span className="block max-w-56 truncate text-muted" title={text}>
      {text === "" ? "–" : text}
    </span>
  );
}

function Failed({ count }: { readonly count: number }) {
  return count === 0 ? <span className="text-faint">0</span> : <Badge tone="danger">{formatCount(count)}</Badge>;
}

/** Time from the first request to the last one. */
function spanOf({ firstAt, lastAt }: Session): string {
  return formatDuration(new Date(lastAt).getTime() - new Date(firstAt).getTime());
}
