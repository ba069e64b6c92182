import Type from "typebox";
import { nullable, Search, Time } from "./fields.ts";
import { pageFields, repeatable, sortBy } from "./lists.ts";

/** A changed record. The log stores its fields under their original names. */
const Changed = nullable(Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: {} }));

export const AuditRow = Type.Object({
  id: Type.String(),
  at: Time,
  summary: Type.String({ description: "The change as a sentence, such as `ada@example.com created API key ci`" }),
  actor: Type.Object({
    type: Type.Union([Type.Literal("user"), Type.Literal("admin"), Type.Literal("system"), Type.Literal("key")]),
    id: nullable(Type.Union([Type.Integer(), Type.String()])),
    email: nullable(Type.String({ description: "Null for the system and for erased users" })),
    name: nullable(Type.String({ description: "Name of the API key, if a key made the change" })),
  }),
  action: Type.String(),
  target: Type.Object({
    type: Type.String(),
    id: Type.String(),
    email: nullable(Type.String({ description: "For users; null if not recorded, or if erased later" })),
    name: nullable(Type.String({ description: "Current name of the object; null if it has none or was deleted" })),
  }),
  organizationId: nullable(Type.String()),
  organizationName: nullable(Type.String()),
  ip: nullable(Type.String()),
  userAgent: nullable(Type.String()),
  requestId: nullable(Type.String()),
  before: Changed,
  after: Changed,
  prevHash: nullable(Type.String()),
  hash: Type.String({ description: "SHA-256 of the row and the previous hash, in hexadecimal" }),
});

const filters = {
  ...pageFields,
  actor: Type.Optional(
    Type.String({ maxLength: 300, description: "A user or key ID, or one of user, admin, system, key" }),
  ),
  action: Type.Optional(repeatable(Type.String({ maxLength: 100 }))),
  target: Type.Optional(Type.String({ maxLength: 300, description: "The ID or type of the changed object" })),
  search: Type.Optional(
    Type.Unsafe<string>({
      ...Search,
      description: "Part of the name or email address of the actor or of the object, of the action, or a full ID",
    }),
  ),
  startDate: Type.Optional(Type.String({ maxLength: 40 })),
  endDate: Type.Optional(Type.String({ maxLength: 40 })),
  sort: sortBy(["at"], "-at"),
  format: Type.Unsafe<"json" | "csv">({ type: "string", enum: ["json", "csv"], default: "json" }),
};

export const AuditQuery = Type.Object(filters);
export const AdminAuditQuery = Type.Object({
  ...filters,
  organizationId: Type.Optional(
    Type.String({
      maxLength: 300,
      description: "Organization ID, or `none` for entries that belong to no organization",
    }),
  ),
});
