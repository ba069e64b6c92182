import type { Operations } from "@tollgate/sdk/platform";
import { Mail } from "lucide-react";
import { useState } from "react";
import { useMe } from "../../api/me.ts";
import { useChange } from "../../api/queries.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { type Invitation, InvitationActions } from "../../components/invitation-actions.tsx";
import { InvitationState } from "../../components/invitation-state.tsx";
import { Menu } from "../../components/menu.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { plural } from "../../format/plural.ts";
import type { Team, TeamDetails } from "./team-draft.ts";
import type { TeamSpend } from "./use-team-spend.ts";

type Member = Operations["getTeam"]["answer"]["members"][number];
type Row = { readonly member: Member } | { readonly invitation: Invitation };

interface MembersTabProps {
  readonly details: TeamDetails;
  readonly spend: TeamSpend;
  readonly manages: boolean;
}

/** Team members with their keys' spend, and pending invitations. */
export function MembersTab({ details, spend, manages }: MembersTabProps) {
  const { team, members, invitations } = details;
  const rows: readonly Row[] = [
    ...members.map((member) => ({ member })),
    ...(manages ? invitations.map((invitation) => ({ invitation })) : []),
  ];
  return (
    <Panel
      title="Members"
      note={`${members.length}${invitations.length > 0 ? `, ${invitations.length} invited` : ""}`}
      flush
    >
      <DataTable
        label="Team members"
        rows={rows}
        // Resending an invitation changes its ID, but the row stays the same.
        rowKey={(row) => ("member" in row ? String(row.member.memberId) : row.invitation.email)}
        columns={columnsOf(team, spend, manages)}
        card={(row) =>
          "member" in row ? (
            <span className="flex items-center justify-between gap-3">
              <span className="min-w-0">
                <span className="block truncate font-medium">{row.member.name}</span>
                <span className="block truncate text-meta text-muted">
                  {row.member.role}, <PersonSpend member={row.member} spend={spend} />
                </span>
              </span>
              {manages && <MemberActions team={team} member={row.member} />}
            </span>
          ) : (
            <>
              <span className="truncate font-medium">{row.invitation.email}</span>
              <span className="flex flex-wrap items-center justify-between gap-2">
                <InvitationState invitation={row.invitation} />
                <InvitationActions invitation={row.invitation} isCompact />
              </span>
            </>
          )
        }
        empty={<p className="px-4 py-6 text-table text-muted">No members yet. Invite members to this team.</p>}
      />
    </Panel>
  );
}

function columnsOf(team: Team, spend: TeamSpend, manages: boolean): readonly Column<Row>[] {
  return [
    {
      id: "name",
      header: "Name",
      cell: (row) => (
        <span className="flex max-w-72 items-center gap-2">
          <Initials text={"member" in row ? row.member.name : null} />
          <span className="truncate font-medium" title={"member" in row ? row.member.email : row.invitation.email}>
            {"member" in row ? row.member.name : row.invitation.email}
          </span>
        </span>
      ),
      footer: plural(team.memberCount, "member"),
    },
    {
      id: "role",
      header: "Role",
      priority: 3,
      cell: (row) => (("member" in row ? row.member : row.invitation).role === "admin" ? "Team admin" : "Member"),
    },
    {
      id: "active",
      header: "Key last used",
      priority: 1,
      cell: (row) =>
        "member" in row ? (
          <Time at={spend.ofPerson(row.member.userId).lastUsedAt} form="relative" />
        ) : (
          <InvitationState invitation={row.invitation} />
        ),
    },
    {
      id: "spend",
      header: `Spend in ${spend.month.short}`,
      align: "right",
      priority: 2,
      cell: (row) => ("member" in row ? <PersonSpend member={row.member} spend={spend} /> : null),
      footer: <Money nano={spend.total ?? 0n} total={spend.total ?? 0n} />,
    },
    ...(manages
      ? [
          {
            id: "actions",
            header: <span className="sr-only">Actions</span>,
            align: "right" as const,
            cell: (row: Row) =>
              "member" in row ? (
                <MemberActions team={team} member={row.member} />
              ) : (
                <InvitationActions invitation={row.invitation} isCompact />
              ),
          },
        ]
      : []),
  ];
}

/** Spend of the keys that a member created. The API reports usage by key, not by user. */
function PersonSpend({ member, spend }: { readonly member: Member; readonly spend: TeamSpend }) {
  const { cost } = spend.ofPerson(member.userId);
  return cost === null ? <span className="text-faint">…</span> : <Money nano={cost} total={spend.total ?? undefined} />;
}

function Initials({ text }: { readonly text: string | null }) {
  return (
    <span
      aria-hidden
      className="grid size-6 flex-none place-items-center rounded-full bg-sunken text-[10px] font-semibold text-muted inset-ring inset-ring-border"
    >
      {text === null ? (
        <Mail size={12} strokeWidth={1.5} />
      ) : (
        text
          .split(/\s+/)
          .slice(0, 2)
          .map((word) => word.charAt(0).toUpperCase())
          .join("")
      )}
    </span>
  );
}

function MemberActions({ team, member }: { readonly team: Team; readonly member: Member }) {
  const { user } = useMe();
  const [isAsking, setAsking] = useState(false);
  const update = useChange("updateTeamMember", {
    invalidates: ["getTeam"],
    done: `${member.name}'s role in ${team.name} changed`,
  });
  const remove = useChange("removeTeamMember", {
    invalidates: ["getTeam", "listTeams", "listApiKeys"],
    done: ({ revokedKeys }) => `${member.name} removed, ${plural(revokedKeys, "key")} revoked`,
    onDone: () => setAsking(false),
  });
  const isAdmin = member.role === "admin";
  return (
    <>
      <Menu
        label={`Actions for ${member.name}`}
        items={[
          {
            label: isAdmin ? "Change role to member" : "Change role to team admin",
            onSelect: () =>
              update.mutate({
                body: { teamId: team.id, memberId: member.memberId, role: isAdmin ? "member" : "admin" },
              }),
          },
          {
            label: member.userId === user?.id ? "Leave team" : "Remove",
            danger: true,
            onSelect: () => setAsking(true),
          },
        ]}
      />
      <ConfirmDialog
        open={isAsking}
        title={`Remove ${member.name} from ${team.name}?`}
        consequence={`${member.email} loses access to this team, and the keys they created in this team are revoked. The user remains a member of the organization.`}
        confirmLabel="Remove"
        busy={remove.isPending}
        onConfirm={() => remove.mutate({ body: { teamId: team.id, memberId: member.memberId, revokeKeys: true } })}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
