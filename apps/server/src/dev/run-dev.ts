import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join, relative } from "node:path";
import { uuidToCrockford } from "@tollgate/domain/ids.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import type { CallRecord } from "@tollgate/gateway/accounting/record-usage.ts";
import { VERSION } from "@tollgate/gateway/call/version.ts";
import { OneTimeLinks } from "@tollgate/platform/pages/one-time-link.ts";
import { EXIT, type Io, reportFailure } from "@tollgate/runtime/exit.ts";
import { createLogger } from "@tollgate/runtime/logger.ts";
import { ProxyProblem, readProxies } from "@tollgate/runtime/outbound-proxy.ts";
import { loadServeSettings, SettingsRefused } from "@tollgate/runtime/settings/load-serve-settings.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { storageLimitsOf } from "@tollgate/runtime/settings/storage-limits.ts";
import { TlsProblem } from "@tollgate/runtime/tls-problem.ts";
import { DEMO_REQUESTS } from "../demo/demo-cast.ts";
import { countDemoRequests, readDemoFolder } from "../demo/demo-folder.ts";
import { startDemoUpstream } from "../demo/demo-upstream.ts";
import type { EmbeddedPostgres } from "../embedded-postgres/start-embedded-postgres.ts";
import { knownProviders } from "../known-providers.ts";
import { prepareDatabase } from "../prepare-database.ts";
import { trustAuthorities } from "../tls/trust-authorities.ts";
import { announce } from "./announce.ts";
import { detectProviders, devSettings } from "./dev-settings.ts";
import { readLocalCredentials } from "./local-credentials.ts";
import { formatRequestLine } from "./request-line.ts";
import { seedAccount } from "./seed-account.ts";

const DEFAULT_PORT = 4000;
const HOST = "127.0.0.1";
const DRAIN_TIMEOUT_MS = 5_000;
const LEASE_RECLAIM_SECONDS = 900;

interface DevOptions {
  readonly port: number | null;
  readonly dataDir: string;
  readonly config: string | null;
  readonly isJson: boolean;
  readonly isDemo: boolean;
  readonly opensBrowser: boolean;
}

/**
 * Runs the gateway, the platform, and the worker in this process, with an account and a key, until the command is
 * stopped. `starting` is the database, which starts while this program is loaded.
 */
export async function runDev(
  options: DevOptions,
  starting: Promise<EmbeddedPostgres>,
  stopped: Promise<void>,
  io: Io,
): Promise<number> {
  try {
    return await run(options, starting, stopped, io);
  } catch (error) {
    if (error instanceof SettingsRefused) {
      io.stderr.write(error.message);
      return EXIT.usage;
    }
    if (error instanceof TlsProblem || error instanceof ProxyProblem) {
      return reportFailure(io, error.message, EXIT.usage);
    }
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") {
      const which = options.port === null ? "The selected port" : `Port ${options.port}`;
      return reportFailure(io, `${which} is in use. Choose another port with --port.`, EXIT.usage);
    }
    throw error;
  }
}

async function run(
  options: DevOptions,
  starting: Promise<EmbeddedPostgres>,
  stopped: Promise<void>,
  io: Io,
): Promise<number> {
  const credentials = readLocalCredentials(options.dataDir);
  const detected = detectProviders(io.env);
  const runsDir = join(io.cwd, "runs");
  const upstream = options.isDemo ? await startDemoUpstream() : null;
  const defaults = devSettings(detected, {
    masterKey: credentials.masterKey,
    runsDir: existsSync(runsDir) ? runsDir : null,
    demoUrl: upstream?.url ?? null,
  });
  const files = [defaults, ...(options.config === null ? [] : [options.config])];
  // Load the settings first, so that a mistake in a file is reported after one second instead of ten.
  const settings = loadServeSettings(files, io.env, knownProviders, (warning) => io.stderr.write(`! ${warning}\n`));
  trustAuthorities(io.env.TOLLGATE_CA_FILE);
  const chooseProxy = readProxies(io.env);
  // Loading blocks this process for a second or more, in which no statement of a migration could be answered.
  const [postgres, program] = await Promise.all([starting, loadProgram()]);
  const migrations = await prepareDatabase(postgres.connectionString, 0);
  const { createPasswordHasher, startPlatform, startGateway, openModelCaller, startWorker, chooseBilling } = program;
  const passwords = createPasswordHasher();
  const seed = () => seedAccount(postgres.connectionString, credentials, passwords);
  const isNewDemo = options.isDemo && readDemoFolder(options.dataDir) !== "demo";
  if (isNewDemo) {
    const { writeDemo } = await import("../demo/write-demo.ts");
    await writeDemo({
      connectionString: postgres.connectionString,
      dataDir: options.dataDir,
      nowMs: Date.now(),
      requests: DEMO_REQUESTS,
      settings,
      billing: await chooseBilling(settings.platform),
      passwords,
      seedAccount: seed,
    });
  }
  const account = await seed();
  const port = options.port ?? (await findPort(DEFAULT_PORT));
  const logger = createLogger("tollgate", io.env.TOLLGATE_LOG_LEVEL ?? "warn");
  let current = settings;
  const secretKeys = [new Secret(credentials.secretKey)];
  const { apiKey, masterKey, admin } = credentials;
  const oneTimeLinks =
    account.userId === null ? null : new OneTimeLinks({ userId: account.userId, email: admin.email, role: "admin" });
  const uiUrl = () => `http://${HOST}:${gateway.port}${settings.general.serverRootPath}/ui`;
  /** Returns the URL of a console page that opens without a password, once. */
  const linkTo = (page: string) =>
    oneTimeLinks === null ? `${uiUrl()}${page}` : `${uiUrl()}/once/${oneTimeLinks.issue(`/ui${page}`, Date.now())}`;
  const platform = await startPlatform({
    settings,
    connectionString: postgres.connectionString,
    redisUrl: null,
    secretKeys,
    gatewayUrl: () => `http://${HOST}:${gateway.port}`,
    development: { oneTimeLinks },
    ...(io.env.TOLLGATE_CONSOLE_DIR !== undefined && { consoleFolder: io.env.TOLLGATE_CONSOLE_DIR }),
    logger,
  });
  const gateway = await startGateway({
    settings,
    connectionString: postgres.connectionString,
    target: { host: HOST, port },
    secretKeys,
    chooseProxy,
    mounted: platform.mounted,
    journalRoot: join(options.dataDir, "journal"),
    index: 0,
    processes: 1,
    redisUrl: null,
    natsUrl: null,
    recorder: options.isJson ? null : createRecorder(io, linkTo),
    logger,
    onJournalFailed: () => process.kill(process.pid, "SIGTERM"),
  });
  const models = openModelCaller({
    settings: () => current,
    connectionString: postgres.connectionString,
    secretKeys,
    gatewayUrl: () => `http://${HOST}:${gateway.port}`,
  });
  const worker = startWorker({
    connectionString: postgres.connectionString,
    natsUrl: null,
    reclaimAfterSeconds: LEASE_RECLAIM_SECONDS,
    platform: {
      settings: () => current.platform,
      secretKeys,
      payments: await chooseBilling(settings.platform),
      admission: settings.billing.admission,
    },
    assistants: {
      settings: () => current.assistants,
      storageLimits: () => storageLimitsOf(current),
      secretKeys,
      models,
    },
    logger,
  });
  const apply = async (next: Settings) => {
    await gateway.reload(next);
    await platform.reload(next);
    current = next;
  };
  process.on("SIGHUP", () => reload(apply, files, io));
  await announce(io, options, {
    version: VERSION,
    dataDir: shownPath(options.dataDir, io.cwd),
    isNewData: isNewDemo || account.isNew,
    migrations,
    credit: settings.billing.provider === "off" ? null : account.balance,
    providers: detected,
    demoRequests: options.isDemo ? countDemoRequests(options.dataDir) : null,
    baseUrl: `http://${HOST}:${gateway.port}`,
    uiUrl: uiUrl(),
    hasOneTimeLinks: oneTimeLinks !== null,
    linkTo,
    apiKey,
    masterKey,
    admin,
    portNote: options.port === null && port !== DEFAULT_PORT ? `port ${DEFAULT_PORT} is in use` : null,
  });
  await stopped;
  platform.refuseNew();
  // Stop the worker first, because its runs call the gateway.
  await worker.stop();
  await models.close();
  await gateway.stop(DRAIN_TIMEOUT_MS);
  await platform.stop();
  await upstream?.close();
  return EXIT.ok;
}

/** Loads the modules that are needed once the database runs. */
async function loadProgram() {
  const [hasher, platform, gateway, models, worker, billing] = await Promise.all([
    import("@tollgate/platform/adapters/argon2-hasher.ts"),
    import("../start-platform.ts"),
    import("../start-gateway.ts"),
    import("../open-model-caller.ts"),
    import("@tollgate/worker/start-worker.ts"),
    import("@tollgate/platform/adapters/choose-billing.ts"),
  ]);
  return { ...hasher, ...platform, ...gateway, ...models, ...worker, ...billing };
}

/** Prints each call. After the first successful call, also prints the time since startup. */
function createRecorder(io: Io, linkTo: (page: string) => string): (record: CallRecord) => void {
  let hasSucceeded = false;
  return (record) => {
    io.stdout.write(`  ${formatRequestLine(record)}\n`);
    if (hasSucceeded || record.status !== "success") return;
    hasSucceeded = true;
    const seconds = Math.round(performance.now() / 1_000);
    const url = linkTo(`/logs/use_${uuidToCrockford(record.eventId)}`);
    io.stdout.write(`  ✓ First completion in ${seconds} s. See it: ${url}\n`);
  };
}

function reload(
  apply: (settings: Settings) => Promise<void>,
  files: Parameters<typeof loadServeSettings>[0],
  io: Io,
): void {
  try {
    apply(loadServeSettings(files, io.env, knownProviders)).then(
      () => io.stderr.write("  ✓ settings reloaded\n"),
      (error: unknown) =>
        io.stderr.write(`  ✗ could not reload settings; the previous settings stay in effect: ${String(error)}\n`),
    );
  } catch (error) {
    io.stderr.write(error instanceof SettingsRefused ? error.message : String(error));
  }
}

/** Returns the requested port or, if it is taken, the next free port. */
async function findPort(wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + 100; port += 1) if (await isFree(port)) return port;
  throw Object.assign(new Error("No free port found"), { code: "EADDRINUSE" });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, HOST, () => probe.close(() => resolve(true)));
  });
}

function shownPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" || short.startsWith("..") ? path : `./${short}`;
}
