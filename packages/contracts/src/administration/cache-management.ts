import Type, { type Static } from "typebox";

/** How the cache of answers is. */
export const CacheState = Type.Object({
  status: Type.Literal("healthy"),
  cache_type: Type.Union([Type.Literal("memory"), Type.Literal("redis")]),
  ping_response: Type.Boolean(),
});

export const DeleteCachedRequest = Type.Object({
  keys: Type.Array(Type.String({ pattern: "^[0-9a-f]{64}$", description: "As in the header x-gw-cache-key." }), {
    minItems: 1,
    maxItems: 1_000,
  }),
});

export const CacheChange = Type.Object({
  status: Type.Literal("success"),
  deleted: Type.Optional(Type.Integer({ description: "How many answers there were under these keys." })),
});

export type DeleteCachedRequest = Static<typeof DeleteCachedRequest>;
