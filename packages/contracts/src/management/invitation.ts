import type { TeamRole } from "@tollgate/domain/roles/roles.ts";
import Type, { type Static } from "typebox";
import { nullable, PathId, Time } from "./fields.ts";
import { listOf, type Page, pageFields, sortBy, toList } from "./lists.ts";

const InvitationStatus = Type.Union([
  Type.Literal("pending"),
  Type.Literal("accepted"),
  Type.Literal("declined"),
  Type.Literal("revoked"),
  Type.Literal("expired"),
]);

export const Invitation = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: Type.Union([Type.Literal("admin"), Type.Literal("member")]),
  scope: Type.Union([Type.Literal("team"), Type.Literal("organization")]),
  organizationId: Type.String(),
  organizationName: Type.String(),
  teamId: nullable(Type.String()),
  teamName: nullable(Type.String()),
  invitedBy: Type.Object({ id: Type.Integer(), name: Type.String() }),
  status: InvitationStatus,
  expiresAt: Time,
  createdAt: Time,
});

export const InvitationList = listOf(Invitation);
export const InvitationListQuery = Type.Object({
  ...pageFields,
  sort: sortBy(["createdAt", "expiresAt"], "-createdAt"),
});

/** Identifies an invitation by the secret in its link, or by its ID if the caller is the recipient. */
export const InvitationChoice = Type.Object({
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  invitationId: Type.Optional(PathId),
});

export const InvitedAnswer = Type.Object({
  status: Type.Literal("invited"),
  invitation: Invitation,
  inviteUrl: nullable(
    Type.String({ description: "Share it with the invitee; only present if the server sends no email" }),
  ),
});

/** State of an invitation, independent of storage. */
interface InvitationState {
  readonly id: string;
  readonly email: string;
  readonly role: TeamRole;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly teamId: string | null;
  readonly teamName: string | null;
  readonly inviterId: number;
  readonly inviterName: string;
  readonly status: "pending" | "accepted" | "declined" | "revoked";
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** Converts an invitation to its response format, with its status at this time. */
export function toInvitation(state: InvitationState, now: Date): Static<typeof Invitation> {
  const { inviterId, inviterName, status, ...rest } = state;
  return {
    ...rest,
    scope: state.teamId === null ? "organization" : "team",
    invitedBy: { id: inviterId, name: inviterName },
    status: status === "pending" && state.expiresAt <= now ? "expired" : status,
  };
}

/** Converts one page of invitations to its response format, with their status at this time. */
export function toInvitationList(
  { invitations, total }: { readonly invitations: readonly InvitationState[]; readonly total: number },
  page: Page,
  now: Date,
) {
  return toList(
    invitations.map((invitation) => toInvitation(invitation, now)),
    page,
    total,
  );
}
