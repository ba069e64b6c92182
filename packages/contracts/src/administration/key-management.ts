import Type, { type Static } from "typebox";
import { NullableParameter } from "../models/nullable-parameter.ts";
import { Nullable } from "../nullable.ts";
import {
  Duration,
  exactBody,
  limitFields,
  nullableText,
  shownLimits,
  sizedPageParameters,
  TextList,
  TextMap,
} from "./record-fields.ts";

/** A key's full secret, its SHA-256 as hex, or its ID. */
const KeyReference = Type.String({ minLength: 1, maxLength: 300 });

export const KeyPath = Type.Object({
  key: Type.String({
    description: "The key's SHA-256 or ID. The secret also works, but URLs are often logged.",
  }),
});

const keyFields = {
  key_alias: Nullable(Type.String({ minLength: 1, maxLength: 100, description: "The key's name." })),
  team_id: Nullable(Type.String({ maxLength: 100 })),
  user_id: Nullable(Type.String({ maxLength: 100 })),
  ...limitFields,
  aliases: Nullable(TextMap),
  allowed_routes: Nullable(TextList),
  duration: Nullable(Type.Union([Duration, Type.Literal("-1")])),
  expires: Nullable(Type.String({ maxLength: 40, description: "An ISO 8601 timestamp." })),
};

export const GenerateKeyRequest = Type.Object(keyFields, exactBody);
export type GenerateKeyRequest = Static<typeof GenerateKeyRequest>;

export const UpdateKeyRequest = Type.Object({ key: KeyReference, ...keyFields }, exactBody);
export type UpdateKeyRequest = Static<typeof UpdateKeyRequest>;

export const RegenerateKeyRequest = Type.Object(
  {
    ...keyFields,
    grace_period: Nullable(Duration),
  },
  exactBody,
);
export type RegenerateKeyRequest = Static<typeof RegenerateKeyRequest>;

export const DeleteKeysRequest = Type.Object(
  { keys: Type.Array(KeyReference, { minItems: 1, maxItems: 100 }) },
  { additionalProperties: true },
);
export type DeleteKeysRequest = Static<typeof DeleteKeysRequest>;

export const BlockKeyRequest = Type.Object({ key: KeyReference }, { additionalProperties: true });
export type BlockKeyRequest = Static<typeof BlockKeyRequest>;

export const KeyInfoQuery = Type.Object({
  key: NullableParameter(KeyReference, {
    description: "The key's secret, SHA-256, or ID. Defaults to the caller's key.",
  }),
});
export type KeyInfoQuery = Static<typeof KeyInfoQuery>;

export const KeyListQuery = Type.Object({
  ...sizedPageParameters,
  team_id: NullableParameter(Type.String({ maxLength: 100 }), { description: "Only keys of this team." }),
  user_id: NullableParameter(Type.String({ maxLength: 100 }), { description: "Only keys of this user." }),
  organization_id: NullableParameter(Type.String({ maxLength: 100 }), {
    description: "Only keys of this organization.",
  }),
  key_alias: NullableParameter(Type.String({ maxLength: 100 }), { description: "Only keys with this name." }),
  key_hash: NullableParameter(Type.String({ maxLength: 100 }), { description: "Only the key with this SHA-256." }),
  return_full_object: NullableParameter(Type.Boolean(), {
    description: "If false, returns only digests. Defaults to full records.",
  }),
});
export type KeyListQuery = Static<typeof KeyListQuery>;

/** A key in a response, without its secret. */
export const KeyRecord = Type.Object({
  token: Type.String({ description: "SHA-256 of the secret." }),
  token_id: Type.String({ description: "The key ID, which stays the same when the secret is rotated." }),
  key_name: Type.String({ description: "The last four characters of the secret." }),
  key_alias: nullableText,
  team_id: nullableText,
  user_id: nullableText,
  organization_id: nullableText,
  ...shownLimits,
  aliases: Type.Record(Type.String(), Type.String()),
  allowed_routes: Type.Array(Type.String()),
  expires: nullableText,
  last_used: nullableText,
});

export const GeneratedKey = Type.Object({
  key: Type.String({ description: "The secret. Returned only in this response." }),
  ...KeyRecord.properties,
});
export const KeyInfoAnswer = Type.Object({ key: Type.String({ description: "SHA-256." }), info: KeyRecord });
export const DeletedKeys = Type.Object({ deleted_keys: Type.Array(Type.String()) });
export const KeyList = Type.Object({
  keys: Type.Array(Type.Union([KeyRecord, Type.String()])),
  total_count: Type.Integer(),
  current_page: Type.Integer(),
  total_pages: Type.Integer(),
});
