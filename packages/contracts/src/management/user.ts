import Type, { type Static } from "typebox";
import { Name, NullableTime, nullable, Search, Time } from "./fields.ts";
import { PlatformRoleName } from "./identity.ts";
import { pageFields, sortBy } from "./lists.ts";
import { Amount, withUsd } from "./money.ts";
import { OrganizationRoleName } from "./organization.ts";

const UserStatus = Type.Union([Type.Literal("active"), Type.Literal("disabled"), Type.Literal("deleted")]);

/** A user as shown to platform administrators. */
export const User = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  name: Type.String(),
  role: PlatformRoleName,
  status: UserStatus,
  emailVerified: Type.Boolean(),
  createdAt: Time,
  lastLoginAt: NullableTime,
});

export const UserAnswer = Type.Object({ user: User });
export const ListedUser = withUsd({
  ...User.properties,
  spent: Amount,
  organizations: Type.Integer({ description: "Number of organizations the user is a member of" }),
});

export const UserListQuery = Type.Object({
  ...pageFields,
  search: Type.Optional(Search),
  role: Type.Optional(PlatformRoleName),
  status: Type.Optional(Type.Union([...UserStatus.anyOf, Type.Literal("all")])),
  sort: sortBy(["createdAt", "email", "name", "lastLoginAt"], "-createdAt"),
});

export const UserDetails = Type.Object({
  user: User,
  organizations: Type.Array(
    withUsd({ id: Type.String(), name: Type.String(), role: OrganizationRoleName, balance: Amount }),
  ),
  keyCount: Type.Integer({ description: "Number of keys the user created, excluding revoked ones" }),
  lastLoginAt: NullableTime,
});

export const UserChange = Type.Object({
  role: Type.Optional(PlatformRoleName),
  status: Type.Optional(Type.Union([Type.Literal("active"), Type.Literal("disabled")])),
  name: Type.Optional(Name),
});

export type UserChange = Static<typeof UserChange>;
export const UserDeleted = Type.Object({ deleted: Type.Literal(true) });

/** Any organization as shown to platform administrators. */
export const AdminOrganization = withUsd({
  id: Type.String(),
  name: Type.String(),
  status: Type.Union([Type.Literal("active"), Type.Literal("closed")]),
  personal: Type.Boolean(),
  ownerId: nullable(Type.Integer()),
  memberCount: Type.Integer(),
  teamCount: Type.Integer(),
  keyCount: Type.Integer({ description: "Number of keys, excluding revoked ones" }),
  balance: Amount,
  spent: Amount,
  createdAt: Time,
  updatedAt: Time,
});

export const AdminOrganizationQuery = Type.Object({
  ...pageFields,
  search: Type.Optional(Search),
  status: Type.Optional(Type.Union([Type.Literal("active"), Type.Literal("closed")])),
  sort: sortBy(["createdAt", "name", "balance", "spent"], "-createdAt"),
});

/** Any team as shown to platform administrators: its status, without its activity. */
export const AdminTeam = Type.Object({
  id: Type.String(),
  organizationId: Type.String(),
  name: Type.String(),
  status: Type.Union([Type.Literal("active"), Type.Literal("blocked")]),
  blockedReason: nullable(Type.String()),
  blockedAt: NullableTime,
  createdAt: Time,
  updatedAt: Time,
});

export const AdminTeamAnswer = Type.Object({ team: AdminTeam });
const Reason = Type.String({ minLength: 3, maxLength: 500, description: "Recorded in the audit log" });
export const BlockBody = Type.Object({ reason: Reason });
export const UnblockBody = Type.Object({ reason: Type.Optional(Reason) });
