import { Secret } from "@tollgate/domain/secret.ts";
import Type from "typebox";
import { readEnvironment } from "./read-environment.ts";

/**
 * Environment variables that configure the server. Variables without a description are internal and passed between the
 * server's processes.
 */
export const Environment = Type.Object({
  PORT: Type.Integer({ default: 4000, minimum: 0, maximum: 65_535, description: "Port to listen on." }),
  HOST: Type.String({ default: "0.0.0.0", description: "IP address or host name to listen on." }),
  DATABASE_URL: Type.Optional(
    Type.String({
      description: "PostgreSQL URL (version 15 or later). The database stores accounts, the ledger, and usage.",
    }),
  ),
  REDIS_URL: Type.Optional(
    Type.String({
      description:
        "Redis URL for shared rate limit counters. Without Redis, each process enforces its share of a limit.",
    }),
  ),
  NATS_URL: Type.Optional(
    Type.String({
      description:
        "URL of the NATS server that delivers usage to workers. Without NATS, gateways settle usage directly in the database.",
    }),
  ),
  TOLLGATE_JOURNAL_DIR: Type.String({
    default: ".tollgate/journal",
    description: "Folder where gateways store usage until it is in the ledger. Use a local disk on each machine.",
  }),
  TOLLGATE_SECRET_KEY: Type.Optional(
    Type.String({
      description:
        "Secret that encrypts stored credentials and signs sessions. Must be at least 32 characters long and the same for every process. Required for the platform.",
    }),
  ),
  TOLLGATE_SECRET_KEY_PREVIOUS: Type.Optional(
    Type.String({
      description: "Secret key from before a rotation, used to decrypt data that was encrypted with it.",
    }),
  ),
  TOLLGATE_GATEWAY_URL: Type.Optional(
    Type.String({
      description:
        "Gateway URL for platforms and workers that run without a local gateway, such as http://gateway:4000. Workers run assistants through it.",
    }),
  ),
  TOLLGATE_SEPARATE_WORKER: Type.Boolean({
    default: false,
    description:
      "Whether the worker always has its own process. If false and there is only one gateway process, the worker is a thread of that process.",
  }),
  TOLLGATE_HOSTS_PLATFORM: Type.Boolean({ default: false }),
  TOLLGATE_HOSTS_WORKER: Type.Boolean({ default: false }),
  TOLLGATE_PROCESSES: Type.Integer({ default: 1, minimum: 0, maximum: 256 }),
  TOLLGATE_CHILD_INDEX: Type.Integer({ default: 0, minimum: 0, maximum: 255 }),
  TOLLGATE_LEASE_RECLAIM_AFTER: Type.Integer({
    default: 900,
    minimum: 1,
    maximum: 86_400,
    description: "Seconds after which credit leased to an unresponsive gateway is reclaimed.",
  }),
  TOLLGATE_CONFIG: Type.Optional(Type.String({ description: "Settings file to use if `--config` is not set." })),
  TOLLGATE_CONSOLE_DIR: Type.Optional(
    Type.String({ description: "Folder that contains the built console, if it is not next to the program." }),
  ),
  TOLLGATE_LOG_LEVEL: Type.String({
    default: "info",
    description: "Minimum log level: `debug`, `info`, `warn`, `error`, or `silent`.",
  }),
  TOLLGATE_TLS_CERT: Type.Optional(
    Type.String({
      description: "PEM file with the listener's certificate chain. Enables TLS.",
    }),
  ),
  TOLLGATE_TLS_KEY: Type.Optional(Type.String({ description: "PEM file with the certificate's private key." })),
  TOLLGATE_CA_FILE: Type.Optional(
    Type.String({ description: "PEM file with additional certificate authorities to trust for outbound connections." }),
  ),
  TOLLGATE_DB_WAIT: Type.Integer({
    default: 10,
    minimum: 0,
    maximum: 600,
    description: "Seconds to wait for the database at startup.",
  }),
  TOLLGATE_MIGRATE_ON_START: Type.Boolean({
    default: true,
    description:
      "Whether to migrate the database to this version's schema at startup. If false, the server waits until `tollgate migrate up` has run.",
  }),
  TOLLGATE_DRAIN_GRACE: Type.Integer({
    default: 5,
    minimum: 0,
    maximum: 60,
    description:
      "Seconds to keep accepting requests after the server reports not ready, so that load balancers can react.",
  }),
  TOLLGATE_DRAIN_TIMEOUT: Type.Integer({
    default: 120,
    minimum: 0,
    maximum: 600,
    description: "Seconds allowed for in-flight requests to finish after SIGTERM, including the grace period.",
  }),
});

/** Reads and validates the server's environment variables. */
export const loadEnvironment = (env: NodeJS.ProcessEnv) => readEnvironment(Environment, env);

export type ServerEnvironment = ReturnType<typeof loadEnvironment>;

const SECRET_KEY_LENGTH = 32;

/** Returns the secret keys, current key first. If a key is missing or invalid, returns a message with a fix. */
export function readSecretKeys(
  environment: Pick<ServerEnvironment, "TOLLGATE_SECRET_KEY" | "TOLLGATE_SECRET_KEY_PREVIOUS">,
): { readonly kind: "keys"; readonly keys: readonly Secret[] } | { readonly kind: "problem"; readonly text: string } {
  const fix = `Create one with \`openssl rand -hex ${SECRET_KEY_LENGTH}\` and keep it safe. Data encrypted with it cannot be decrypted without it.`;
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
