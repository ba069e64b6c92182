import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { hasAnyAccount } from "@tollgate/db/accounts/create-account.ts";
import { connect } from "@tollgate/db/connect.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { makeSetupToken } from "@tollgate/platform/identity/setup-token.ts";
import { loadEnvironment, readSecretKeys, type ServerEnvironment } from "@tollgate/runtime/environment.ts";
import { EXIT, type Io, reportFailure } from "@tollgate/runtime/exit.ts";
import { createLogger, type Logger } from "@tollgate/runtime/logger.ts";
import { ProxyProblem, readProxies } from "@tollgate/runtime/outbound-proxy.ts";
import { EnvironmentProblem } from "@tollgate/runtime/read-environment.ts";
import { loadServeSettings, SettingsRefused, settingsFiles } from "@tollgate/runtime/settings/load-serve-settings.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { TlsProblem } from "@tollgate/runtime/tls-problem.ts";
import { knownProviders } from "../known-providers.ts";
import { localUrl } from "../local-url.ts";
import { awaitSchema, DatabaseUnreachable, prepareDatabase } from "../prepare-database.ts";
import { becomeSupervisor } from "../supervise/become-supervisor.ts";
import type { ChildRole } from "../supervise/supervisor.ts";
import { readServingCertificate } from "../tls/serving-certificate.ts";
import { trustAuthorities } from "../tls/trust-authorities.ts";

const USAGE = `Run the gateway, the platform, and the worker on a PostgreSQL database, with one gateway process per core.

  DATABASE_URL=postgres://… TOLLGATE_SECRET_KEY=… tollgate serve --config tollgate.yaml
  tollgate serve --port 8080 --processes 2
  TOLLGATE_GATEWAY_URL=http://gateway:4000 tollgate serve --roles platform --port 4001

  --config FILE      Settings file (default: TOLLGATE_CONFIG, then ./tollgate.yaml)
  --port N           Port to listen on (default: PORT, then 4000)
  --host ADDRESS     IP address to listen on (default: HOST, then 0.0.0.0)
  --processes N      Number of gateway processes (default: one per core)
  --roles LIST       Roles to run: gateway, platform, worker (default: all; the platform runs in the gateway processes)
  --json             Print one JSON line when ready

Signals: SIGTERM drains and stops; a second SIGTERM stops immediately. SIGHUP reloads the settings. SIGUSR2 makes readiness checks fail.
`;

const ROLES = ["gateway", "platform", "worker"] as const;
type Role = (typeof ROLES)[number];

/**
 * `tollgate serve`: validates the configuration and prepares the database, then becomes the supervisor of the gateway
 * processes. Returns only if that is impossible.
 */
export async function serve(args: readonly string[], io: Io): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      config: { type: "string" },
      port: { type: "string" },
      host: { type: "string" },
      processes: { type: "string" },
      roles: { type: "string", default: ROLES.join(",") },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const env: NodeJS.ProcessEnv = {
    ...io.env,
    ...(values.config && { TOLLGATE_CONFIG: values.config }),
    ...(values.port && { PORT: values.port }),
    ...(values.host && { HOST: values.host }),
  };
  const processes = values.processes === undefined ? availableParallelism() : Number(values.processes);
  if (!Number.isInteger(processes) || processes < 1 || processes > 256) {
    return reportFailure(io, "--processes must be a number from 1 to 256.", EXIT.usage);
  }
  try {
    const wanted = values.roles.split(",").map((role) => role.trim());
    if (!wanted.every(isRole)) {
      return reportFailure(io, `--roles must be a comma-separated list of: ${ROLES.join(", ")}.`, EXIT.usage);
    }
    return await supervise(env, wanted, processes, values.json, io);
  } catch (error) {
    return explain(error, io);
  }
}

const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text);

/**
 * Lists the child processes. Gateways host the platform. If there is only one gateway, it hosts the worker, too, unless
 * the worker should be separate.
 */
function listChildren(wanted: readonly Role[], processes: number, isWorkerSeparate: boolean): readonly ChildRole[] {
  const hasPlatform = wanted.includes("platform");
  const hasGateway = wanted.includes("gateway");
  const hasWorker = wanted.includes("worker");
  const hostsWorker = hasWorker && hasGateway && processes === 1 && !isWorkerSeparate;
  const gateways = Array.from(
    { length: processes },
    (_, index): ChildRole => ({ kind: "gateway", index, hostsPlatform: hasPlatform, hostsWorker }),
  );
  return [
    ...(hasGateway ? gateways : []),
    ...(hasPlatform && !hasGateway ? [{ kind: "platform" } as const] : []),
    ...(hasWorker && !hostsWorker ? [{ kind: "worker" } as const] : []),
  ];
}

async function supervise(
  env: NodeJS.ProcessEnv,
  wanted: readonly Role[],
  processes: number,
  isJson: boolean,
  io: Io,
): Promise<number> {
  const environment = loadEnvironment(env);
  const settings = loadServeSettings(settingsFiles(env), env, knownProviders);
  const databaseUrl = environment.DATABASE_URL ?? settings.general.databaseUrl?.reveal();
  if (databaseUrl === undefined) {
    const message =
      "DATABASE_URL is not set. `tollgate serve` requires PostgreSQL 15 or later. `tollgate dev` includes a database.";
    return reportFailure(io, message, EXIT.usage);
  }
  const problem = checkSecretKey(environment, wanted);
  if (problem !== null) return reportFailure(io, problem, EXIT.usage);
  const logger = createLogger("supervisor", environment.TOLLGATE_LOG_LEVEL);
  trustAuthorities(environment.TOLLGATE_CA_FILE);
  const speaksTls = readServingCertificate(environment) !== null;
  readProxies(env);
  await bringSchema(databaseUrl, environment, logger);
  if (wanted.includes("platform") && !isJson) await offerSetup(databaseUrl, { environment, settings, speaksTls }, io);
  const children = listChildren(wanted, processes, environment.TOLLGATE_SEPARATE_WORKER);
  const gateways = children.filter(({ kind }) => kind === "gateway").length;
  const listens = children.some(({ kind }) => kind !== "worker");
  const plan = {
    children,
    address: listens ? { host: environment.HOST, port: environment.PORT } : null,
    speaksTls,
    hasPlatform: wanted.includes("platform"),
    isJson,
    logLevel: environment.TOLLGATE_LOG_LEVEL,
  };
  return becomeSupervisor(plan, { ...env, DATABASE_URL: databaseUrl, TOLLGATE_PROCESSES: String(gateways) });
}

interface Prepared {
  readonly environment: ServerEnvironment;
  readonly settings: Settings;
  readonly speaksTls: boolean;
}

/** If no account exists yet, prints where to create the first one, and the token that this requires. */
async function offerSetup(databaseUrl: string, { environment, settings, speaksTls }: Prepared, io: Io): Promise<void> {
  const { general, platform } = settings;
  const read = readSecretKeys(environment);
  const secretKey = read.kind === "keys" ? read.keys[0] : undefined;
  if (secretKey === undefined || general.disableAdminUi || (await hasAccounts(databaseUrl))) return;
  const address = `${localUrl(environment.HOST, environment.PORT, speaksTls)}${platform.rootPath}`;
  io.stdout.write(
    `! This server has no accounts yet. Create its administrator at ${platform.publicUrl ?? address}/ui/setup\n` +
      `  Setup token: ${makeSetupToken(secretKey).reveal()}\n`,
  );
}

async function hasAccounts(connectionString: string): Promise<boolean> {
  const db = connect({ connectionString, role: "tollgate_platform", poolSize: 1, applicationName: "tollgate serve" });
  try {
    return await runUnauthenticated(db, hasAnyAccount);
  } finally {
    await db.destroy();
  }
}

async function bringSchema(databaseUrl: string, environment: ServerEnvironment, logger: Logger): Promise<void> {
  const waitSeconds = environment.TOLLGATE_DB_WAIT;
  if (!environment.TOLLGATE_MIGRATE_ON_START) return awaitSchema(databaseUrl, waitSeconds);
  const applied = await prepareDatabase(databaseUrl, waitSeconds);
  if (applied > 0) logger.info("upgraded the database schema", { count: applied });
}

/**
 * Checks the secret key. The platform requires a key. Without the platform, the key is optional, but a short key is
 * still an error.
 */
function checkSecretKey(environment: ServerEnvironment, wanted: readonly Role[]): string | null {
  const read = readSecretKeys(environment);
  if (read.kind === "keys") return null;
  if (environment.TOLLGATE_SECRET_KEY !== undefined) return read.text;
  return wanted.includes("platform")
    ? `${read.text}\n  To run without the platform: tollgate serve --roles gateway,worker`
    : null;
}

function explain(error: unknown, io: Io): number {
  if (error instanceof SettingsRefused) {
    io.stderr.write(error.message);
    return EXIT.usage;
  }
  if (error instanceof TlsProblem || error instanceof ProxyProblem) return reportFailure(io, error.message, EXIT.usage);
  if (error instanceof EnvironmentProblem) return reportFailure(io, error.problems.join("\n  "), EXIT.usage);
  if (error instanceof DatabaseUnreachable) return reportFailure(io, error.message, EXIT.temporary);
  throw error;
}
