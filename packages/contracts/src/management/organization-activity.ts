import Type from "typebox";
import { NullableTime, Time } from "./fields.ts";
import { KeyStatus } from "./key.ts";
import { Amount, withUsd } from "./money.ts";
import { OrganizationRoleName } from "./organization.ts";

/** What an organization does, for a platform administrator. At most 100 members, keys, and models. */
export const OrganizationActivityAnswer = Type.Object({
  since: Time,
  members: Type.Array(
    Type.Object({ id: Type.Integer(), name: Type.String(), email: Type.String(), role: OrganizationRoleName }),
  ),
  keys: Type.Array(
    withUsd({
      id: Type.String(),
      name: Type.String(),
      teamName: Type.String(),
      status: KeyStatus,
      lastUsedAt: NullableTime,
      cost: Amount,
    }),
    { description: "Keys that are not revoked, with their cost in the period, most expensive first" },
  ),
  models: Type.Array(withUsd({ model: Type.String(), cost: Amount }), { description: "Most expensive first" }),
  days: Type.Array(
    withUsd({ day: Type.String({ description: "YYYY-MM-DD in the organization's zone" }), cost: Amount }),
  ),
});
