import Type, { type Static } from "typebox";

/** State of the response cache. */
export const CacheState = Type.Object({
  status: Type.Literal("healthy"),
  cache_type: Type.Union([Type.Literal("memory"), Type.Literal("redis")]),
  ping_response: Type.Boolean(),
});

export const DeleteCachedRequest = Type.Object({
  keys: Type.Array(Type.String({ pattern: "^[0-9a-f]{64}$", description: "The value of the x-gw-cache-key header." }), {
    minItems: 1,
    maxItems: 1_000,
  }),
});

export const CacheChange = Type.Object({
  status: Type.Literal("success"),
  deleted: Type.Optional(Type.Integer({ description: "Number of cached responses that were deleted." })),
});

export type DeleteCachedRequest = Static<typeof DeleteCachedRequest>;
