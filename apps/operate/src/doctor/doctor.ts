import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { loadServeSettings, SettingsRefused, settingsFiles } from "@tollgate/runtime/settings/load-serve-settings.ts";
import type { Providers } from "@tollgate/runtime/settings/name-provider.ts";
import type { SettingsText } from "@tollgate/runtime/settings/read-files.ts";
import type { OperatorIo } from "../operator-io.ts";
import { explainRename } from "../renamed-words.ts";
import { checkCloudCredentials } from "./doctor-cloud-credentials.ts";
import { checkClock, checkDatabase, lookAtDatabase } from "./doctor-database.ts";
import type { DatabaseProbeResult, DoctorContext, Finding } from "./doctor-finding.ts";
import { checkJournal } from "./doctor-journal.ts";
import { checkDisk, checkOpenFiles, checkRuntime, checkVersion } from "./doctor-machine.ts";
import { checkPrices, readPricesInUse } from "./doctor-prices.ts";
import { checkProviders } from "./doctor-providers.ts";
import { formatReport, reportAsData } from "./doctor-report.ts";
import { checkMail, checkNats, checkRedis } from "./doctor-services.ts";
import { checkConfiguration, checkPayments, checkSecretKey, checkSignUp } from "./doctor-settings.ts";
import { checkTls } from "./doctor-tls.ts";

type Check = (context: DoctorContext) => Finding[] | Promise<Finding[]>;

/** Checks in report order. The names are the values that `--only` accepts. */
const checks: Readonly<Record<string, Check>> = {
  version: checkVersion,
  runtime: checkRuntime,
  configuration: checkConfiguration,
  "secret-key": checkSecretKey,
  tls: checkTls,
  database: checkDatabase,
  redis: checkRedis,
  nats: checkNats,
  email: checkMail,
  "sign-up": checkSignUp,
  payments: checkPayments,
  "open-files": checkOpenFiles,
  clock: checkClock,
  providers: checkProviders,
  "cloud-credentials": checkCloudCredentials,
  prices: checkPrices,
  journal: checkJournal,
  disk: checkDisk,
};

const USAGE = `Check this server and suggest fixes. The only change on disk is a temporary test file, which is removed.

  tollgate doctor
  tollgate doctor --only providers,database
  tollgate doctor --data ./.tollgate

  --config FILE   Settings file (default: TOLLGATE_CONFIG, then ./tollgate.yaml)
  --data DIR      Data directory of a running \`tollgate dev\` (default: DATABASE_URL, then ./.tollgate)
  --only NAMES    Run only these checks: ${Object.keys(checks).join(", ")}
  --json          Print the findings as JSON

The exit code is 1 if a check fails. Warnings don't change the exit code.
`;

const DATA_FOLDER = ".tollgate";

/**
 * `tollgate doctor`: checks everything that a server start depends on and changes nothing. Exits with 1 if any check
 * fails.
 */
export async function doctor(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      config: { type: "string" },
      data: { type: "string" },
      only: { type: "string", multiple: true, default: [] },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const chosen = values.only.flatMap((names) => names.split(",")).map((name) => name.trim().replaceAll(" ", "-"));
  const unknown = chosen.find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined) {
    const message = `Unknown check '${unknown}'. Checks: ${Object.keys(checks).join(", ")}.`;
    return reportFailure(io, explainRename("doctor --only", unknown) ?? message, EXIT.usage);
  }
  const context = gatherContext(values.config ?? null, values.data ?? null, io);
  const names = Object.keys(checks).filter((name) => chosen.length === 0 || chosen.includes(name));
  const findings: Finding[] = [];
  // Run the checks one after another, so that they don't distort each other's latency.
  for (const name of names) findings.push(...(await (checks[name] as Check)(context)));
  io.stdout.write(values.json ? `${JSON.stringify(reportAsData(findings))}\n` : formatReport(findings));
  return findings.some(({ state }) => state === "failed") ? EXIT.failure : EXIT.ok;
}

function gatherContext(config: string | null, data: string | null, io: OperatorIo): DoctorContext {
  const { apps } = io;
  const env: NodeJS.ProcessEnv = config === null ? io.env : { ...io.env, TOLLGATE_CONFIG: resolve(io.cwd, config) };
  const isDev = data !== null || (!env.DATABASE_URL && existsSync(resolve(io.cwd, DATA_FOLDER)));
  const dataDir = isDev ? resolve(io.cwd, data ?? DATA_FOLDER) : null;
  // A development instance reads only settings files that are passed explicitly.
  const named = isDev && config === null ? [] : settingsFiles(env);
  const { settings, problem } = loadOrExplain(
    isDev ? [apps.server.developmentDefaults(env), ...named] : named,
    env,
    apps.gateway.knownProviders,
  );
  const address = env.DATABASE_URL || settings?.general.databaseUrl?.reveal() || null;
  let status: Promise<DatabaseProbeResult> | null = null;
  const database = () => (status ??= lookAtDatabase(dataDir, address, apps.server));
  return {
    apps,
    env,
    cwd: io.cwd,
    dataDir,
    files: isDev && named.length === 0 ? ["development defaults"] : named,
    settings,
    settingsProblem: problem,
    database,
    prices: async (loaded) => {
      const embedded = dataDir === null ? null : apps.server.readEmbeddedConnection(dataDir);
      return readPricesInUse(loaded, await database(), embedded ?? address, io);
    },
  };
}

function loadOrExplain(
  files: readonly (string | SettingsText)[],
  env: NodeJS.ProcessEnv,
  providers: Providers,
): Pick<DoctorContext, "settings"> & { readonly problem: string | null } {
  try {
    return { settings: loadServeSettings(files, env, providers), problem: null };
  } catch (error) {
    if (!(error instanceof SettingsRefused)) throw error;
    // Remove the command at the end of the message, because the finding's fix repeats it.
    const reported = error.message.trim().replace(/^✗ /, "");
    return { settings: null, problem: reported.slice(0, reported.lastIndexOf("\n\n")) };
  }
}
