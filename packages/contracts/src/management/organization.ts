import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { OrganizationRole } from "@tollgate/domain/roles/roles.ts";
import Type, { type Static } from "typebox";
import { Email, Name, nullable, PathId, Search, Time } from "./fields.ts";
import { listOf, pageFields, sortBy } from "./lists.ts";
import { Amount, AmountInput, Usd, usdOf } from "./money.ts";
import { TimeZone } from "./time-zone.ts";

export const OrganizationRoleName = Type.Union([Type.Literal("owner"), Type.Literal("admin"), Type.Literal("member")]);

const Settings = Type.Object({
  lowBalanceThreshold: nullable(Amount),
  logPrompts: Type.Boolean(),
  logRetentionDays: Type.Integer(),
  timezone: Type.String(),
  usd: Usd,
});

/** An organization as shown to its members. */
export const Organization = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: OrganizationRoleName,
  ownerId: nullable(Type.Integer()),
  billingEmail: nullable(Type.String()),
  personal: Type.Boolean(),
  active: Type.Boolean({ description: "Whether this is the session's active organization" }),
  teamCount: Type.Integer(),
  memberCount: Type.Integer(),
  settings: Settings,
  createdAt: Time,
  updatedAt: Time,
});

export const OrganizationAnswer = Type.Object({ organization: Organization });
export const OrganizationList = listOf(Organization);
export const OrganizationListQuery = Type.Object({
  ...pageFields,
  search: Type.Optional(Search),
  sort: sortBy(["createdAt", "name"], "-createdAt"),
});

export const NewOrganizationBody = Type.Object({ name: Name });

/** Changes to an organization. Null resets a field to its default. */
export const OrganizationChange = Type.Object({
  organizationId: Type.Optional(PathId),
  /** Alias of `organizationId`. Responses use this name. */
  id: Type.Optional(PathId),
  name: Type.Optional(Name),
  billingEmail: Type.Optional(nullable(Email)),
  settings: Type.Optional(
    Type.Object({
      lowBalanceThreshold: Type.Optional(nullable(AmountInput)),
      logPrompts: Type.Optional(nullable(Type.Boolean())),
      logRetentionDays: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 3650 }))),
      timezone: Type.Optional(nullable(TimeZone)),
    }),
  ),
});

export type OrganizationChange = Static<typeof OrganizationChange>;

export const CloseOrganizationBody = Type.Object({
  confirm: Type.String({ description: "The organization's name, as confirmation" }),
});

/** State of an organization, independent of storage. */
interface OrganizationState {
  readonly id: string;
  readonly name: string;
  readonly role: OrganizationRole;
  readonly ownerId: number | null;
  readonly billingEmail: string | null;
  readonly isPersonal: boolean;
  readonly teamCount: number;
  readonly memberCount: number;
  readonly lowBalanceThreshold: NanoUsd | null;
  readonly logPrompts: boolean;
  readonly logRetentionDays: number;
  readonly timezone: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Converts an organization to its response format, relative to the user's active organization. */
export function toOrganization(state: OrganizationState, activeId: string | null): Static<typeof Organization> {
  const { id, name, role, ownerId, billingEmail, teamCount, memberCount, createdAt, updatedAt } = state;
  const { lowBalanceThreshold, logPrompts, logRetentionDays, timezone } = state;
  return {
    id,
    name,
    role,
    ownerId,
    billingEmail,
    personal: state.isPersonal,
    active: id === activeId,
    teamCount,
    memberCount,
    settings: { lowBalanceThreshold, logPrompts, logRetentionDays, timezone, usd: usdOf({ lowBalanceThreshold }) },
    createdAt,
    updatedAt,
  };
}
