import Type from "typebox";
import { nullable, Time } from "./fields.ts";
import { pageFields, repeatable, sortBy } from "./lists.ts";

/** Anything that was changed; the log keeps the names of its fields as they were. */
const Changed = nullable(Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: {} }));

export const AuditRow = Type.Object({
  id: Type.String(),
  at: Time,
  actor: Type.Object({
    type: Type.Union([Type.Literal("user"), Type.Literal("admin"), Type.Literal("system"), Type.Literal("key")]),
    id: nullable(Type.Union([Type.Integer(), Type.String()])),
    email: nullable(Type.String({ description: "Null for the system, and once the person was erased" })),
  }),
  action: Type.String(),
  target: Type.Object({
    type: Type.String(),
    id: Type.String(),
    email: nullable(Type.String({ description: "Of a person, where it was noted and not erased since" })),
  }),
  organizationId: nullable(Type.String()),
  ip: nullable(Type.String()),
  userAgent: nullable(Type.String()),
  requestId: nullable(Type.String()),
  before: Changed,
  after: Changed,
  prevHash: nullable(Type.String()),
  hash: Type.String({ description: "SHA-256 over the row and the hash before it, in hexadecimal" }),
});

const filters = {
  ...pageFields,
  actor: Type.Optional(
    Type.String({ maxLength: 300, description: "A user's or key's id, or one of user, admin, system, key" }),
  ),
  action: Type.Optional(repeatable(Type.String({ maxLength: 100 }))),
  target: Type.Optional(Type.String({ maxLength: 300, description: "The id of what was changed, or its type" })),
  startDate: Type.Optional(Type.String({ maxLength: 40 })),
  endDate: Type.Optional(Type.String({ maxLength: 40 })),
  sort: sortBy(["at"], "-at"),
};

export const AuditQuery = Type.Object(filters);
export const AdminAuditQuery = Type.Object({
  ...filters,
  organizationId: Type.Optional(
    Type.String({ maxLength: 300, description: "Of one organization; none for the installation's own rows" }),
  ),
});
