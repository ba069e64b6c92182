import Type from "typebox";
import { Email, PathId, Search, Time } from "./fields.ts";
import { listOf, pageFields, sortBy } from "./lists.ts";
import { OrganizationRoleName } from "./organization.ts";

export const TeamRoleName = Type.Union([Type.Literal("admin"), Type.Literal("member")]);

const memberFields = {
  memberId: Type.Integer({ description: "The same as `userId`" }),
  userId: Type.Integer(),
  email: Type.String(),
  name: Type.String(),
};

const OrganizationMember = Type.Object({ ...memberFields, role: OrganizationRoleName, joinedAt: Time });
export const TeamMember = Type.Object({ ...memberFields, role: TeamRoleName, joinedAt: Time });

export const OrganizationMemberList = listOf(OrganizationMember);
export const OrganizationMemberAnswer = Type.Object({ member: OrganizationMember });
export const TeamMemberAnswer = Type.Object({ member: TeamMember });
export const MemberListQuery = Type.Object({
  ...pageFields,
  search: Type.Optional(Search),
  sort: sortBy(["joinedAt", "email", "name"], "-joinedAt"),
});

/** A user ID, as a number or a string of digits. */
const MemberId = Type.Union([
  Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  Type.String({ pattern: "^[1-9][0-9]{0,8}$" }),
]);
/** A user ID, or the ID of an invitation to revoke. */
const MemberOrInvitationId = Type.Union([
  Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  Type.String({ pattern: "^(?:[1-9][0-9]{0,8}|inv_[0-9A-HJKMNP-TV-Z]{26})$" }),
]);

const revokeKeys = Type.Boolean({ default: false, description: "Whether to revoke the keys that this member created" });

export const RemoveOrganizationMember = Type.Object({
  memberId: MemberOrInvitationId,
  revokeKeys: Type.Optional(revokeKeys),
});
export const RemoveTeamMember = Type.Object({
  teamId: PathId,
  memberId: MemberOrInvitationId,
  revokeKeys: Type.Optional(revokeKeys),
});
export const RemovedAnswer = Type.Object({ removed: Type.Boolean(), revokedKeys: Type.Integer() });

export const UpdateOrganizationMember = Type.Object({ memberId: MemberId, role: OrganizationRoleName });
export const UpdateTeamMember = Type.Object({ teamId: PathId, memberId: MemberId, role: TeamRoleName });

export const InviteToOrganization = Type.Object({ email: Email, role: Type.Optional(TeamRoleName) });
export const InviteToTeam = Type.Object({
  teamId: PathId,
  teamName: Type.Optional(
    Type.String({ maxLength: 300, description: "Ignored; emails always show the stored team name" }),
  ),
  email: Email,
  role: Type.Optional(TeamRoleName),
});

/** Converts a stored member to its response format. */
export function toMember<Role extends string>(member: {
  readonly userId: number;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly joinedAt: Date;
}) {
  const { userId, email, name, role, joinedAt } = member;
  return { memberId: userId, userId, email, name, role, joinedAt };
}

/** Returns the user ID for a member ID, or null for an invitation. */
export function readMemberId(id: number | string): number | null {
  if (typeof id === "number") return id;
  return id.startsWith("inv_") ? null : Number(id);
}
