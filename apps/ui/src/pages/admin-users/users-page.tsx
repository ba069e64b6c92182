import type { Operations } from "@tollgate/sdk/platform";
import { useState } from "react";
import { useMe } from "../../api/me.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { Badge } from "../../components/badge.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Menu } from "../../components/menu.tsx";
import { Money } from "../../components/money.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { NotAllowed } from "../../components/not-allowed.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { Panel } from "../../components/panel.tsx";
import { StatusDot } from "../../components/status-dot.tsx";
import { Time } from "../../components/time.tsx";
import { plural } from "../../format/plural.ts";
import { useSearchState } from "../../router-search.ts";
import { UserPanel } from "./user-panel.tsx";

type User = Operations["listUsers"]["answer"]["data"][number];
type Query = NonNullable<Operations["listUsers"]["query"]>;

const PAGE_SIZE = 50;
const defaults = { search: "", role: "", status: "", sort: "-createdAt", page: "1", open: "" } as const;

/** All user accounts, for platform administrators. */
export function UsersPage() {
  const { isAdministrator } = useMe();
  const [state, set] = useSearchState(defaults);
  const users = useCall("listUsers", { query: queryOf(state) }, { enabled: isAdministrator });
  if (!isAdministrator)
    return (
      <Page title="Users">
        <NotAllowed what="users" needs="platform administrator" />
      </Page>
    );
  const clear = () => set({ search: "", role: "", status: "", page: "1" });
  return (
    <Page
      title="Users"
      note={users.data === undefined ? undefined : plural(users.data.meta.total, "account")}
      wide
      filters={
        <FilterBar
          values={state}
          onChange={(change) => set({ ...change, page: "1" })}
          search={{
            placeholder: "Name or email",
            value: state.search,
            onChange: (search) => set({ search, page: "1" }),
          }}
          filters={[
            {
              name: "role",
              label: "Role",
              kind: "one",
              options: [
                { value: "admin", label: "Administrator" },
                { value: "user", label: "User" },
              ],
            },
            {
              name: "status",
              label: "Status",
              kind: "one",
              options: ["active", "disabled", "deleted", "all"].map((value) => ({ value, label: value })),
            },
          ]}
        />
      }
    >
      <Panel flush>
        <Loaded query={users} what="Users">
          {({ data, meta }) => (
            <DataTable
              label="Users"
              columns={columns}
              rows={data}
              rowKey={({ id }) => String(id)}
              sort={state.sort}
              onSort={(sort) => set({ sort, page: "1" })}
              openKey={state.open}
              onOpen={({ id }) => set({ open: String(id) })}
              card={(user) => <UserCard user={user} />}
              footer={<Pager meta={meta} onPage={(page) => set({ page: String(page) })} what="users" />}
              empty={<NoMatches filters={[]} onClear={clear} />}
            />
          )}
        </Loaded>
      </Panel>
      {state.open !== "" && <UserPanel id={state.open} onClose={() => set({ open: "" })} />}
    </Page>
  );
}

function queryOf(state: { readonly [Name in keyof typeof defaults]: string }): Query {
  return {
    page: Number(state.page),
    pageSize: PAGE_SIZE,
    sort: state.sort as Query["sort"],
    ...(state.search !== "" && { search: state.search }),
    ...(state.role !== "" && { role: state.role as "user" | "admin" }),
    ...(state.status !== "" && { status: state.status as Query["status"] }),
  } as Query;
}

const columns: readonly Column<User>[] = [
  {
    id: "name",
    header: "Name",
    sort: "name",
    cell: ({ name, email }) => (
      <span className="block max-w-72 truncate">
        <span className="font-medium">{name}</span> <span className="text-muted">{email}</span>
      </span>
    ),
  },
  {
    id: "role",
    header: "Role",
    cell: ({ role }) => (role === "admin" ? <Badge tone="info">Administrator</Badge> : "User"),
  },
  { id: "status", header: "Status", cell: (user) => <UserStatus user={user} /> },
  {
    id: "organizations",
    header: "Organizations",
    align: "right",
    priority: 2,
    cell: ({ organizations }) => organizations,
  },
  {
    id: "spent",
    header: "Spend of own keys",
    align: "right",
    priority: 2,
    cell: ({ spent }) => <Money nano={spent} />,
  },
  {
    id: "lastLoginAt",
    header: "Last sign-in",
    sort: "lastLoginAt",
    priority: 3,
    cell: ({ lastLoginAt }) => (lastLoginAt === null ? "Never" : <Time at={lastLoginAt} form="relative" />),
  },
  {
    id: "createdAt",
    header: "Joined",
    sort: "createdAt",
    priority: 1,
    cell: ({ createdAt }) => <Time at={createdAt} form="day" />,
  },
  {
    id: "actions",
    header: <span className="sr-only">Actions</span>,
    align: "right",
    cell: (user) => <UserActions user={user} />,
  },
];

const words = { disabled: "Disabled", deleted: "Deleted" } as const;

function UserStatus({ user: { status, emailVerified } }: { readonly user: User }) {
  if (status !== "active") return <StatusDot shape={status === "disabled" ? "bad" : "off"}>{words[status]}</StatusDot>;
  return emailVerified ? (
    <StatusDot shape="ok">Active</StatusDot>
  ) : (
    <StatusDot shape="warning">Email not verified</StatusDot>
  );
}

function UserActions({ user }: { readonly user: User }) {
  const [isDeleting, setDeleting] = useState(false);
  const touched = { invalidates: ["listUsers", "getUser"] } as const;
  const update = useChange("updateUser", { ...touched, done: `${user.name} updated` });
  const remove = useChange("deleteUser", {
    ...touched,
    done: `${user.name} deleted`,
    onDone: () => setDeleting(false),
  });
  const change = (body: Parameters<typeof update.mutate>[0]["body"]) =>
    update.mutate({ params: { id: user.id }, body });
  if (user.status === "deleted") return null;
  return (
    <>
      <Menu
        label={`Actions for ${user.name}`}
        items={[
          user.role === "admin"
            ? { label: "Revoke administrator role", onSelect: () => change({ role: "user" }) }
            : { label: "Grant administrator role", onSelect: () => change({ role: "admin" }) },
          user.status === "active"
            ? { label: "Disable", onSelect: () => change({ status: "disabled" }) }
            : { label: "Enable", onSelect: () => change({ status: "active" }) },
          { label: "Delete", danger: true, onSelect: () => setDeleting(true) },
        ]}
      />
      <ConfirmDialog
        open={isDeleting}
        title={`Delete ${user.name}?`}
        consequence={`${user.email} can't sign in, and their sessions end immediately. Organizations without other members are closed and their keys revoked. The ledger and logs remain.`}
        confirmLabel="Delete account"
        typeToConfirm={user.email}
        busy={remove.isPending}
        onConfirm={() => remove.mutate({ params: { id: user.id } })}
        onClose={() => setDeleting(false)}
      />
    </>
  );
}

function UserCard({ user }: { readonly user: User }) {
  return (
    <span className="grid min-w-0 gap-0.5">
      <span className="flex justify-between gap-2">
        <span className="truncate font-medium">{user.name}</span>
        <UserStatus user={user} />
      </span>
      <span className="truncate text-meta text-muted">{user.email}</span>
    </span>
  );
}
