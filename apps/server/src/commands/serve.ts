import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { createLogger } from "@tollgate/runtime/logger.ts";
import { EnvironmentProblem } from "@tollgate/runtime/read-environment.ts";
import { loadEnvironment, type ServerEnvironment } from "../environment.ts";
import { loadServeSettings, SettingsRefused, settingsFiles } from "../load-serve-settings.ts";
import { DatabaseUnreachable, prepareDatabase } from "../prepare-database.ts";
import { holdSocket } from "../supervise/hold-socket.ts";
import { type ChildRole, Supervisor } from "../supervise/supervisor.ts";
import { EXIT, type Io, reportFailure } from "./exit.ts";

const USAGE = `Run the gateway on a PostgreSQL database, one process per core.

  DATABASE_URL=postgres://… tollgate serve --config tollgate.yaml
  tollgate serve --port 8080 --processes 2

  --config FILE      settings (otherwise TOLLGATE_CONFIG, otherwise ./tollgate.yaml)
  --port N           port to listen on (otherwise PORT, otherwise 4000)
  --host ADDRESS     address to listen on (otherwise HOST, otherwise 0.0.0.0)
  --processes N      gateway processes (otherwise one per core)
  --roles LIST       what runs here: gateway, worker (otherwise both)
  --json             print one JSON line when ready

Signals: SIGTERM drains and stops, SIGHUP reloads the settings.
`;

/** `tollgate serve`: checks everything that can be checked, then supervises the gateway processes until told to stop. */
export async function serve(args: readonly string[], io: Io): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      config: { type: "string" },
      port: { type: "string" },
      host: { type: "string" },
      processes: { type: "string" },
      roles: { type: "string", default: "gateway,worker" },
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
    return reportFailure(io, "--processes must be a number from 1 to 256", EXIT.usage);
  }
  try {
    const wanted = values.roles.split(",").map((role) => role.trim());
    if (wanted.length === 0 || wanted.some((role) => role !== "gateway" && role !== "worker")) {
      return reportFailure(io, "--roles takes gateway, worker, or both with a comma", EXIT.usage);
    }
    return await supervise(env, listRoles(wanted, processes), values.json, io);
  } catch (error) {
    return explain(error, io);
  }
}

function listRoles(wanted: readonly string[], processes: number): readonly ChildRole[] {
  const gateways = Array.from({ length: processes }, (_, index): ChildRole => ({ kind: "gateway", index }));
  return [
    ...(wanted.includes("gateway") ? gateways : []),
    ...(wanted.includes("worker") ? [{ kind: "worker" } as const] : []),
  ];
}

async function supervise(
  env: NodeJS.ProcessEnv,
  roles: readonly ChildRole[],
  isJson: boolean,
  io: Io,
): Promise<number> {
  const environment = loadEnvironment(env);
  const settings = loadServeSettings(settingsFiles(env), env);
  const databaseUrl = environment.DATABASE_URL ?? settings.general.databaseUrl?.reveal();
  if (databaseUrl === undefined) {
    const message = "DATABASE_URL is not set. `serve` needs PostgreSQL 15 or later; `tollgate dev` brings its own.";
    return reportFailure(io, message, EXIT.usage);
  }
  const logger = createLogger("supervisor", environment.TOLLGATE_LOG_LEVEL);
  const applied = await prepareDatabase(databaseUrl, environment.TOLLGATE_DB_WAIT);
  if (applied > 0) logger.info("the database schema was brought up to date", { count: applied });
  const gateways = roles.filter(({ kind }) => kind === "gateway").length;
  const socket = gateways === 0 ? null : await holdSocket(environment.HOST, environment.PORT);
  const childEnv = { ...env, DATABASE_URL: databaseUrl, TOLLGATE_PROCESSES: String(gateways) };
  const supervisor = new Supervisor(roles, socket, childEnv, logger);
  process.on("SIGTERM", () => supervisor.stop());
  process.on("SIGINT", () => supervisor.stop());
  process.on("SIGHUP", () => supervisor.reload());
  await Promise.race([supervisor.start(), supervisor.ended]);
  announce(environment, socket?.port ?? null, gateways, isJson, io);
  return supervisor.ended;
}

function announce(
  environment: ServerEnvironment,
  port: number | null,
  processes: number,
  isJson: boolean,
  io: Io,
): void {
  if (port === null) {
    io.stdout.write(isJson ? `${JSON.stringify({ baseUrl: null, processes: 0 })}\n` : "tollgate worker is running\n");
    return;
  }
  const host = environment.HOST === "0.0.0.0" || environment.HOST === "::" ? "127.0.0.1" : environment.HOST;
  const baseUrl = `http://${host}:${port}`;
  io.stdout.write(
    isJson
      ? `${JSON.stringify({ baseUrl, platformUrl: null, uiUrl: null, processes })}\n`
      : `tollgate is serving on ${baseUrl} with ${processes} ${processes === 1 ? "process" : "processes"}\n`,
  );
}

function explain(error: unknown, io: Io): number {
  if (error instanceof SettingsRefused) {
    io.stderr.write(error.message);
    return EXIT.usage;
  }
  if (error instanceof EnvironmentProblem) return reportFailure(io, error.problems.join("\n  "), EXIT.usage);
  if (error instanceof DatabaseUnreachable) return reportFailure(io, error.message, EXIT.temporary);
  if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") {
    return reportFailure(
      io,
      `The port is in use. Choose another with --port. (${(error as Error).message})`,
      EXIT.usage,
    );
  }
  throw error;
}
