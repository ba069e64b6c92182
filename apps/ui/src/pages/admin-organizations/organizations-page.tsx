import type { Operations } from "@tollgate/sdk/platform";
import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { Badge } from "../../components/badge.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { NotAllowed } from "../../components/not-allowed.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { Panel } from "../../components/panel.tsx";
import { StatusDot } from "../../components/status-dot.tsx";
import { Time } from "../../components/time.tsx";
import { useSearchState } from "../../router-search.ts";
import { OrganizationPanel } from "./organization-panel.tsx";

type Organization = Operations["listAdminOrganizations"]["answer"]["data"][number];
type Query = NonNullable<Operations["listAdminOrganizations"]["query"]>;

const PAGE_SIZE = 50;

/** All organizations on this server with their balances, for platform administrators. */
export function OrganizationsPage() {
  const { isAdministrator } = useMe();
  const [state, set] = useSearchState({ search: "", status: "", sort: "-createdAt", page: "1", open: "" });
  const query = {
    page: Number(state.page),
    pageSize: PAGE_SIZE,
    sort: state.sort,
    ...(state.search !== "" && { search: state.search }),
    ...(state.status !== "" && { status: state.status }),
  } as Query;
  const organizations = useCall("listAdminOrganizations", { query }, { enabled: isAdministrator });
  if (!isAdministrator) {
    return (
      <Page title="Organizations">
        <NotAllowed what="organizations" needs="platform administrator" />
      </Page>
    );
  }
  return (
    <Page
      title="Organizations"
      note={organizations.data === undefined ? undefined : `${organizations.data.meta.total} total`}
      wide
      filters={
        <FilterBar
          values={state}
          onChange={(change) => set({ ...change, page: "1" })}
          search={{ placeholder: "Name or ID", value: state.search, onChange: (search) => set({ search, page: "1" }) }}
          filters={[
            {
              name: "status",
              label: "Status",
              kind: "one",
              options: [
                { value: "active", label: "active" },
                { value: "closed", label: "closed" },
              ],
            },
          ]}
        />
      }
    >
      <Panel flush>
        <Loaded query={organizations} what="Organizations">
          {({ data, meta }) => (
            <DataTable
              label="Organizations"
              columns={columns}
              rows={data}
              rowKey={({ id }) => id}
              sort={state.sort}
              onSort={(sort) => set({ sort, page: "1" })}
              openKey={state.open}
              onOpen={({ id }) => set({ open: id })}
              card={(organization) => (
                <span className="flex justify-between gap-3">
                  <span className="min-w-0 truncate font-medium">{organization.name}</span>
                  <Money nano={organization.balance} />
                </span>
              )}
              footer={<Pager meta={meta} onPage={(page) => set({ page: String(page) })} what="organizations" />}
              empty={<NoMatches filters={[]} onClear={() => set({ search: "", status: "", page: "1" })} />}
            />
          )}
        </Loaded>
      </Panel>
      {state.open !== "" && <OrganizationPanel id={state.open} onClose={() => set({ open: "" })} />}
    </Page>
  );
}

const columns: readonly Column<Organization>[] = [
  {
    id: "name",
    header: "Name",
    sort: "name",
    cell: ({ name, personal }) => (
      <span className="flex max-w-80 items-center gap-2">
        <span className="truncate font-medium">{name}</span> {personal && <Badge tone="neutral">personal</Badge>}
      </span>
    ),
  },
  {
    id: "status",
    header: "Status",
    cell: ({ status, balance }) =>
      status === "closed" ? (
        <StatusDot shape="off">Closed</StatusDot>
      ) : balance < 0n ? (
        <StatusDot shape="bad">Negative balance</StatusDot>
      ) : (
        <StatusDot shape="ok">Active</StatusDot>
      ),
  },
  { id: "members", header: "Members", align: "right", priority: 2, cell: ({ memberCount }) => memberCount },
  { id: "teams", header: "Teams", align: "right", priority: 3, cell: ({ teamCount }) => teamCount },
  { id: "keys", header: "Keys", align: "right", priority: 3, cell: ({ keyCount }) => keyCount },
  {
    id: "created",
    header: "Created",
    sort: "createdAt",
    priority: 1,
    cell: ({ createdAt }) => <Time at={createdAt} form="day" />,
  },
  {
    id: "spent",
    header: "Total spend",
    sort: "spent",
    align: "right",
    priority: 1,
    cell: ({ spent }) => <Money nano={spent} />,
  },
  {
    id: "balance",
    header: "Balance",
    sort: "balance",
    align: "right",
    cell: ({ balance }) => <Money nano={balance} />,
  },
];
