import { readEnvironment } from "@tollgate/runtime/read-environment.ts";
import Type from "typebox";

const Environment = Type.Object({
  PORT: Type.Integer({ default: 4000, minimum: 0, maximum: 65_535 }),
  HOST: Type.String({ default: "0.0.0.0" }),
  DATABASE_URL: Type.Optional(Type.String()),
  REDIS_URL: Type.Optional(
    Type.String({ description: "Shared rate-limit counters; without it each process counts its share." }),
  ),
  NATS_URL: Type.Optional(
    Type.String({ description: "Carries usage to workers; without it gateways settle in the database themselves." }),
  ),
  TOLLGATE_JOURNAL_DIR: Type.String({
    default: ".tollgate/journal",
    description: "Where gateways keep what calls used until the ledger has it. A local disk, one per machine.",
  }),
  TOLLGATE_PROCESSES: Type.Integer({ default: 1, minimum: 0, maximum: 256 }),
  TOLLGATE_CHILD_INDEX: Type.Integer({ default: 0, minimum: 0, maximum: 255 }),
  TOLLGATE_LEASE_RECLAIM_AFTER: Type.Integer({
    default: 900,
    minimum: 1,
    maximum: 86_400,
    description: "Seconds after which credit set aside for a gateway that never came back is given back.",
  }),
  TOLLGATE_CONFIG: Type.Optional(Type.String()),
  TOLLGATE_LOG_LEVEL: Type.String({ default: "info" }),
  TOLLGATE_DB_WAIT: Type.Integer({
    default: 10,
    minimum: 0,
    maximum: 600,
    description: "Seconds to wait for the database at start.",
  }),
  TOLLGATE_DRAIN_GRACE: Type.Integer({
    default: 3,
    minimum: 0,
    maximum: 60,
    description: "Seconds between not being ready and refusing new calls, for balancers to notice.",
  }),
  TOLLGATE_DRAIN_TIMEOUT: Type.Integer({
    default: 120,
    minimum: 0,
    maximum: 600,
    description: "Seconds that running calls get after SIGTERM.",
  }),
});

/** The only place the server reads its environment. */
export const loadEnvironment = (env: NodeJS.ProcessEnv) => readEnvironment(Environment, env);

export type ServerEnvironment = ReturnType<typeof loadEnvironment>;
