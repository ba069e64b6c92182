import { Secret } from "@tollgate/domain/secret.ts";
import { readEnvironment } from "@tollgate/runtime/read-environment.ts";
import Type from "typebox";

/** What the server reads of its environment. Those without a description its own processes tell each other. */
export const Environment = Type.Object({
  PORT: Type.Integer({ default: 4000, minimum: 0, maximum: 65_535, description: "The port it listens on." }),
  HOST: Type.String({ default: "0.0.0.0", description: "The address it listens on." }),
  DATABASE_URL: Type.Optional(Type.String({ description: "PostgreSQL 15 or later: accounts, the ledger, usage." })),
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
  TOLLGATE_SECRET_KEY: Type.Optional(
    Type.String({
      description:
        "Seals stored credentials and signs sessions; 32 characters or more, the same for every process. The platform needs it.",
    }),
  ),
  TOLLGATE_SECRET_KEY_PREVIOUS: Type.Optional(
    Type.String({ description: "The key before a rotation: still opens what it sealed." }),
  ),
  TOLLGATE_GATEWAY_URL: Type.Optional(
    Type.String({
      description:
        "Where a platform or a worker without gateways beside it reaches one, such as http://gateway:4000; workers run assistants over it.",
    }),
  ),
  TOLLGATE_HOSTS_PLATFORM: Type.Boolean({ default: false }),
  TOLLGATE_PROCESSES: Type.Integer({ default: 1, minimum: 0, maximum: 256 }),
  TOLLGATE_CHILD_INDEX: Type.Integer({ default: 0, minimum: 0, maximum: 255 }),
  TOLLGATE_LEASE_RECLAIM_AFTER: Type.Integer({
    default: 900,
    minimum: 1,
    maximum: 86_400,
    description: "Seconds after which credit set aside for a gateway that never came back is given back.",
  }),
  TOLLGATE_CONFIG: Type.Optional(Type.String({ description: "The settings file, where `--config` is not given." })),
  TOLLGATE_CONSOLE_DIR: Type.Optional(
    Type.String({ description: "The built console, where it is not beside the program." }),
  ),
  TOLLGATE_LOG_LEVEL: Type.String({
    default: "info",
    description: "What is logged: `debug`, `info`, `warn` or `error` and above.",
  }),
  TOLLGATE_TLS_CERT: Type.Optional(
    Type.String({
      description:
        "A PEM file with the listener's certificate and those that lead to its authority; then it speaks TLS.",
    }),
  ),
  TOLLGATE_TLS_KEY: Type.Optional(Type.String({ description: "The PEM file with that certificate's key." })),
  TOLLGATE_CA_FILE: Type.Optional(
    Type.String({ description: "A PEM file of authorities to trust besides the usual ones, in all that is called." }),
  ),
  TOLLGATE_DB_WAIT: Type.Integer({
    default: 10,
    minimum: 0,
    maximum: 600,
    description: "Seconds to wait for the database at start.",
  }),
  TOLLGATE_MIGRATE_ON_START: Type.Boolean({
    default: true,
    description:
      "Bring the database to this version's schema at start. False: wait for `tollgate migrate up` to have done it.",
  }),
  TOLLGATE_DRAIN_GRACE: Type.Integer({
    default: 5,
    minimum: 0,
    maximum: 60,
    description: "Seconds between not being ready and refusing new calls, for balancers to notice.",
  }),
  TOLLGATE_DRAIN_TIMEOUT: Type.Integer({
    default: 120,
    minimum: 0,
    maximum: 600,
    description: "Seconds that running calls get after SIGTERM, the grace included.",
  }),
});

/** The only place the server reads its environment. */
export const loadEnvironment = (env: NodeJS.ProcessEnv) => readEnvironment(Environment, env);

export type ServerEnvironment = ReturnType<typeof loadEnvironment>;

const SECRET_KEY_LENGTH = 32;

/** The installation's secret keys, the current one first; a sentence that says what to do when there is none. */
export function readSecretKeys(
  environment: Pick<ServerEnvironment, "TOLLGATE_SECRET_KEY" | "TOLLGATE_SECRET_KEY_PREVIOUS">,
): { readonly kind: "keys"; readonly keys: readonly Secret[] } | { readonly kind: "problem"; readonly text: string } {
  const fix = `Make one with \`openssl rand -hex ${SECRET_KEY_LENGTH}\` and keep it: what it sealed cannot be opened without it.`;
  const { TOLLGATE_SECRET_KEY: current, TOLLGATE_SECRET_KEY_PREVIOUS: previous } = environment;
  if (current === undefined) return { kind: "problem", text: `TOLLGATE_SECRET_KEY is not set.\n  ${fix}` };
  const named = {
    TOLLGATE_SECRET_KEY: current,
    ...(previous !== undefined && { TOLLGATE_SECRET_KEY_PREVIOUS: previous }),
  };
  const short = Object.entries(named).find(([, text]) => text.length < SECRET_KEY_LENGTH);
  if (short !== undefined) {
    return { kind: "problem", text: `${short[0]} is shorter than ${SECRET_KEY_LENGTH} characters.\n  ${fix}` };
  }
  return { kind: "keys", keys: Object.values(named).map((text) => new Secret(text)) };
}
