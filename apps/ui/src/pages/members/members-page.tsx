import type { Operations } from "@tollgate/sdk/platform";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { useMe } from "../../api/me.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { InviteDialog } from "../../components/invite-dialog.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Menu } from "../../components/menu.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { plural } from "../../format/plural.ts";
import { useSearchState } from "../../router-search.ts";
import { useCreateShortcut } from "../../shell/shortcuts.ts";
import { PendingInvitations } from "./pending-invitations.tsx";

type Member = Operations["listOrganizationMembers"]["answer"]["data"][number];
type Query = NonNullable<Operations["listOrganizationMembers"]["query"]>;

const PAGE_SIZE = 50;
const roleNames: Readonly<Record<Member["role"], string>> = { owner: "Owner", admin: "Admin", member: "Member" };

/** Members of the organization, and pending invitations. */
export function MembersPage() {
  const { organization, leads } = useMe();
  const [state, set] = useSearchState({ search: "", sort: "name", page: "1" });
  const [isInviting, setInviting] = useState(false);
  useCreateShortcut(() => leads && setInviting(true));
  const id = organization?.id ?? "";
  const query = {
    page: Number(state.page),
    pageSize: PAGE_SIZE,
    sort: state.sort,
    ...(state.search !== "" && { search: state.search }),
  } as Query;
  const members = useCall("listOrganizationMembers", { params: { id }, query }, { enabled: id !== "" });
  return (
    <Page
      title="Members"
      note={members.data === undefined ? undefined : `${members.data.meta.total} in ${organization?.name}`}
      action={
        <Button
          variant="primary"
          icon={<UserPlus size={16} strokeWidth={1.5} />}
          disabledReason={leads ? null : "Only organization owners and admins can invite members"}
          onClick={() => setInviting(true)}
        >
          Invite
        </Button>
      }
      filters={
        <FilterBar
          values={state}
          onChange={set}
          filters={[]}
          search={{
            placeholder: "Name or email",
            value: state.search,
            onChange: (search) => set({ search, page: "1" }),
          }}
        />
      }
    >
      <Panel flush>
        <Loaded query={members} what="The members">
          {({ data, meta }) => (
            <DataTable
              label="Members"
              columns={columnsOf(id, leads)}
              rows={data}
              rowKey={({ memberId }) => String(memberId)}
              sort={state.sort}
              onSort={(sort) => set({ sort, page: "1" })}
              card={(member) => (
                <span className="flex items-center justify-between gap-2">
                  <span className="min-w-0">
                    <span className="block truncate font-medium">{member.name}</span>
                    <span className="block truncate text-meta text-muted">
                      {member.email} · {roleNames[member.role]}
                    </span>
                  </span>
                  {leads && <MemberActions member={member} organizationId={id} />}
                </span>
              )}
              footer={<Pager meta={meta} onPage={(page) => set({ page: String(page) })} what="members" />}
              empty={<NoMatches filters={[]} onClear={() => set({ search: "", page: "1" })} />}
            />
          )}
        </Loaded>
      </Panel>
      {leads && <PendingInvitations organizationId={id} />}
      {isInviting && (
        <InviteDialog
          target={{ organizationId: id, teamId: null, name: organization?.name ?? "the organization" }}
          onClose={() => setInviting(false)}
        />
      )}
    </Page>
  );
}

function columnsOf(organizationId: string, leads: boolean): readonly Column<Member>[] {
  return [
    {
      id: "name",
      header: "Name",
      sort: "name",
      cell: ({ name }) => (
        <span className="block max-w-64 truncate font-medium xl:max-w-96" title={name}>
          {name}
        </span>
      ),
    },
    {
      id: "email",
      header: "Email",
      sort: "email",
      cell: ({ email }) => <span className="block max-w-72 truncate">{email}</span>,
    },
    { id: "role", header: "Role", cell: ({ role }) => roleNames[role] },
    {
      id: "joined",
      header: "Joined",
      sort: "joinedAt",
      priority: 1,
      cell: ({ joinedAt }) => <Time at={joinedAt} form="day" />,
    },
    ...(leads
      ? [
          {
            id: "actions",
            header: <span className="sr-only">Actions</span>,
            align: "right" as const,
            cell: (member: Member) => <MemberActions member={member} organizationId={organizationId} />,
          },
        ]
      : []),
  ];
}

function MemberActions({ member, organizationId }: { readonly member: Member; readonly organizationId: string }) {
  const { user, organization } = useMe();
  const [asks, setAsks] = useState<"remove" | "hand_over" | null>(null);
  const touched = { invalidates: ["listOrganizationMembers", "listOrganizations"] } as const;
  const close = () => setAsks(null);
  const update = useChange("updateOrganizationMember", {
    ...touched,
    done: `${member.name}'s role changed`,
    onDone: close,
  });
  const remove = useChange("removeOrganizationMember", {
    ...touched,
    done: ({ revokedKeys }) => `${member.name} removed, ${plural(revokedKeys, "key")} revoked`,
    onDone: close,
  });
  const change = (role: Member["role"]) =>
    update.mutate({ params: { id: organizationId }, body: { memberId: member.memberId, role } });
  if (member.userId === user?.id) return <span className="text-meta text-muted">you</span>;
  const isOwner = organization?.role === "owner";
  return (
    <>
      <Menu
        label={`Actions for ${member.name}`}
        items={[
          member.role === "admin"
            ? { label: "Change role to member", onSelect: () => change("member") }
            : { label: "Change role to admin", onSelect: () => change("admin") },
          {
            label: "Transfer ownership",
            disabledReason: isOwner ? null : "Only the owner can transfer ownership",
            onSelect: () => setAsks("hand_over"),
          },
          { label: "Remove", danger: true, onSelect: () => setAsks("remove") },
        ]}
      />
      <ConfirmDialog
        open={asks === "hand_over"}
        title={`Transfer ownership to ${member.name}?`}
        consequence={`${member.name} becomes the owner of ${organization?.name}, including its credit. You become an admin.`}
        confirmLabel="Transfer ownership"
        typeToConfirm={organization?.name ?? null}
        busy={update.isPending}
        onConfirm={() => change("owner")}
        onClose={close}
      />
      <ConfirmDialog
        open={asks === "remove"}
        title={`Remove ${member.name}?`}
        consequence={`${member.email} loses access to ${organization?.name} and its teams, and the keys they created are revoked.`}
        confirmLabel="Remove"
        busy={remove.isPending}
        onConfirm={() =>
          remove.mutate({ params: { id: organizationId }, body: { memberId: member.memberId, revokeKeys: true } })
        }
        onClose={close}
      />
    </>
  );
}
