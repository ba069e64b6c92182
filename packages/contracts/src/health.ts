import Type, { type Static } from "typebox";

/** `Not connected` means that no database is configured. */
export const DatabaseState = Type.Union([
  Type.Literal("connected"),
  Type.Literal("disconnected"),
  Type.Literal("Not connected"),
]);
export type DatabaseState = Static<typeof DatabaseState>;

/** The whole answer is one JSON string. */
export const Liveness = Type.Literal("I'm alive!");

const readiness = {
  status: Type.Union([Type.Literal("healthy"), Type.Literal("unhealthy")]),
  db: DatabaseState,
};

export const Readiness = Type.Object(readiness);
export type Readiness = Static<typeof Readiness>;

export const ReadinessDetails = Type.Object({
  ...readiness,
  cache: Type.Union([Type.Literal("memory"), Type.Literal("redis"), Type.Null()], {
    description: "Where answers are cached; null when they are not.",
  }),
  callbacks: Type.Array(Type.String(), { description: "Where alerts go." }),
  version: Type.String(),
  is_draining: Type.Boolean(),
});
export type ReadinessDetails = Static<typeof ReadinessDetails>;

export const Startup = Type.Object({ status: Type.Union([Type.Literal("started"), Type.Literal("starting")]) });
export type Startup = Static<typeof Startup>;
