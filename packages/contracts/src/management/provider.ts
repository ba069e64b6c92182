import Type, { type Static } from "typebox";
import { Name, NullableTime, nullable, Search, Time } from "./fields.ts";
import { pageFields, sortBy } from "./lists.ts";

const providerStatuses = ["available", "degraded", "unavailable"] as const;

const publicFields = {
  /** The provider ID, or the slug if the provider is defined only in `tollgate.yaml`. */
  id: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  website: nullable(Type.String()),
  status: Type.Enum(providerStatuses),
  modelCount: Type.Integer(),
  createdAt: NullableTime,
};

/** A provider as shown to everyone. */
export const PublicProvider = Type.Object(publicFields);
export type PublicProvider = Static<typeof PublicProvider>;

/** A provider as shown to administrators. The credential itself is never returned. */
export const AdminProvider = Type.Object({
  ...publicFields,
  kind: Type.String(),
  baseUrl: nullable(Type.String()),
  hasApiKey: Type.Boolean(),
  createdAt: Time,
  updatedAt: Time,
});
export type AdminProvider = Static<typeof AdminProvider>;

export const ProviderQuery = Type.Object({
  ...pageFields,
  search: Type.Optional(Search),
  sort: sortBy(["name", "createdAt"], "-createdAt"),
});
export type ProviderQuery = Static<typeof ProviderQuery>;

/** Visible ASCII only, because the credential is sent as a header. */
const ApiKey = Type.String({ minLength: 1, maxLength: 4_000, pattern: "^[\\x21-\\x7e]+$" });
const Address = Type.String({ minLength: 1, maxLength: 2_000 });
const Slug = Type.String({ pattern: "^[a-z0-9][a-z0-9_-]{0,62}$" });
const Kind = Type.String({ minLength: 1, maxLength: 60 });

export const CreateProviderBody = Type.Object({
  slug: Slug,
  kind: Kind,
  name: Type.Optional(Name),
  baseUrl: Type.Optional(nullable(Address)),
  apiKey: Type.Optional(nullable(ApiKey)),
  website: Type.Optional(nullable(Address)),
  status: Type.Optional(Type.Enum(providerStatuses)),
});
export type CreateProviderBody = Static<typeof CreateProviderBody>;

export const UpdateProviderBody = Type.Partial(CreateProviderBody);
export type UpdateProviderBody = Static<typeof UpdateProviderBody>;
