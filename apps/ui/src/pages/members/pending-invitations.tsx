import { useState } from "react";
import { useCall } from "../../api/queries.ts";
import { DataTable } from "../../components/data-table.tsx";
import { type Invitation, InvitationActions } from "../../components/invitation-actions.tsx";
import { InvitationState } from "../../components/invitation-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Pager } from "../../components/pager.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { plural } from "../../format/plural.ts";

const PAGE_SIZE = 50;

/** Pending invitations to the organization and its teams. Renders nothing if there are no invitations. */
export function PendingInvitations({ organizationId }: { readonly organizationId: string }) {
  const [page, setPage] = useState(1);
  const invitations = useCall(
    "listOrganizationInvitations",
    { params: { id: organizationId }, query: { page, pageSize: PAGE_SIZE } },
    { enabled: organizationId !== "" },
  );
  if (invitations.data?.meta.total === 0) return null;
  return (
    <Panel
      title="Pending invitations"
      note={invitations.data === undefined ? undefined : plural(invitations.data.meta.total, "invitation")}
      flush
    >
      <Loaded query={invitations} what="The invitations">
        {({ data, meta }) => (
          <DataTable
            label="Pending invitations"
            rows={data}
            // Resending creates a new invitation. The row keeps its key, so that the link, which is shown once, stays
            // visible.
            rowKey={({ email, teamId }) => `${teamId ?? ""} ${email}`}
            columns={[
              {
                id: "email",
                header: "Email",
                cell: ({ email }) => (
                  <span className="block max-w-72 truncate font-medium xl:max-w-96" title={email}>
                    {email}
                  </span>
                ),
              },
              {
                id: "into",
                header: "Invited to",
                cell: ({ teamName, organizationName }) => (
                  <span className="block max-w-56 truncate">{teamName === null ? organizationName : teamName}</span>
                ),
              },
              { id: "role", header: "Role", priority: 3, cell: ({ role }) => (role === "admin" ? "Admin" : "Member") },
              { id: "by", header: "Invited by", priority: 1, cell: inviterOf },
              {
                id: "sent",
                header: "Sent",
                priority: 2,
                cell: ({ createdAt }) => <Time at={createdAt} form="relative" />,
              },
              { id: "state", header: "Status", cell: (invitation) => <InvitationState invitation={invitation} /> },
              {
                id: "actions",
                header: <span className="sr-only">Actions</span>,
                align: "right",
                cell: (invitation) => <InvitationActions invitation={invitation} />,
              },
            ]}
            card={(invitation) => (
              <>
                <span className="flex justify-between gap-3">
                  <span className="min-w-0 truncate font-medium">{invitation.email}</span>
                  <InvitationState invitation={invitation} />
                </span>
                <span className="flex items-center justify-between gap-3 text-meta text-muted">
                  <span className="min-w-0 truncate">
                    {invitation.teamName ?? invitation.organizationName}, {invitation.role}
                  </span>
                  <InvitationActions invitation={invitation} />
                </span>
              </>
            )}
            footer={meta.totalPages > 1 ? <Pager meta={meta} onPage={setPage} what="invitations" /> : undefined}
            empty={<p className="px-4 py-6 text-table text-muted">No pending invitations.</p>}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function inviterOf({ invitedBy }: Invitation) {
  return <span className="block max-w-48 truncate">{invitedBy.name === "" ? "Former member" : invitedBy.name}</span>;
}
