import { readEnvironment } from "@tollgate/runtime/read-environment.ts";
import Type from "typebox";

const Environment = Type.Object({
  PORT: Type.Integer({ default: 4000, minimum: 0, maximum: 65_535 }),
  HOST: Type.String({ default: "0.0.0.0" }),
  DATABASE_URL: Type.Optional(Type.String()),
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
