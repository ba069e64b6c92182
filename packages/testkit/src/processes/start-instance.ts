import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../free-port.ts";
import { undoAtExit } from "./clean-up.ts";
import { Program } from "./program.ts";

const TOLLGATE = join(import.meta.dirname, "../../../../bin/tollgate");
/** Creating a database takes long on a busy machine. */
const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 60_000;
const SECRET_KEY = "a secret key that only tests use";

interface InstanceOptions {
  /** Folder for the settings, the data, and the log. Default: a new folder, which is removed when the instance stops. */
  readonly folder?: string;
  /** Text of the settings file. Default: no settings file for `dev`, all simulated models for `serve`. */
  readonly settings?: string;
  /** Environment variables in addition to PATH and HOME. All others of this process stay out of the program under test. */
  readonly env?: Readonly<Record<string, string>>;
  /** The program and its first arguments. Default: `bin/tollgate` of this checkout. */
  readonly command?: readonly [string, ...string[]];
}

export interface DevOptions extends InstanceOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** True to fill the new data folder with the demo's month of history. */
  readonly isDemo?: boolean;
}

interface ServeOptions extends InstanceOptions {
  readonly databaseUrl: string;
  /** Default: any free port. */
  readonly port?: number;
  /** Number of gateway processes. Default: 1. */
  readonly processes?: number;
  /** Comma-separated list of roles. Default: all. */
  readonly roles?: string;
}

/** A running `tollgate` with its ready line. */
interface Instance<Ready> {
  readonly folder: string;
  readonly settingsFile: string;
  readonly ready: Ready;
  readonly program: Program;
  /** Returns everything that the instance has written to its log, except for the ready line. */
  readLog(): string;
  /** Stops the instance and returns its exit code. */
  stop(): Promise<number | null>;
  /** Kills all processes of the instance. */
  kill(): Promise<void>;
}

/** Line that `tollgate dev --json` prints. */
export interface DevReady {
  readonly baseUrl: string;
  readonly platformUrl: string;
  readonly uiUrl: string;
  readonly apiKey: string;
  readonly masterKey: string;
  readonly admin: { readonly email: string; readonly password: string };
}

/** Line that `tollgate serve --json` prints. */
export interface ServeReady {
  readonly baseUrl: string | null;
  readonly platformUrl: string | null;
  readonly uiUrl: string | null;
  readonly processes: number;
}

export interface DevInstance extends Instance<DevReady>, DevReady {
  readonly dataDir: string;
}

export interface ServeInstance extends Instance<ServeReady> {
  readonly port: number;
  readonly url: string;
}

/** Starts `tollgate dev`, which has its own database, and resolves when it is ready. */
export async function startDev(options: DevOptions = {}): Promise<DevInstance> {
  const { port = 0, settings, isDemo = false } = options;
  const prepared = prepareFolder(options, settings ?? null);
  const dataDir = join(prepared.folder, "data");
  const config = settings === undefined ? [] : ["--config", prepared.settingsFile];
  const args = ["dev", "--json", "--port", String(port), "--data", dataDir, ...config, ...(isDemo ? ["--demo"] : [])];
  const instance = await start<DevReady>("dev", prepared, options, args, {});
  return { ...instance, ...instance.ready, dataDir };
}

/** Starts `tollgate serve` on an existing database, and resolves when it is ready. */
export async function startServe(options: ServeOptions): Promise<ServeInstance> {
  const { databaseUrl, port = await findFreePort(), processes = 1, roles, settings = SIMULATED_MODELS } = options;
  const prepared = prepareFolder(options, settings);
  const role = roles === undefined ? [] : ["--roles", roles];
  const args = ["serve", "--json", "--config", prepared.settingsFile, "--processes", String(processes), ...role];
  const instance = await start<ServeReady>("serve", prepared, options, args, {
    DATABASE_URL: databaseUrl,
    HOST: "127.0.0.1",
    PORT: String(port),
    TOLLGATE_JOURNAL_DIR: join(prepared.folder, "journal"),
    TOLLGATE_DRAIN_GRACE: "0",
    TOLLGATE_SECRET_KEY: SECRET_KEY,
    TOLLGATE_LOG_LEVEL: "silent",
  });
  return { ...instance, port, url: `http://127.0.0.1:${port}` };
}

export const SIMULATED_MODELS = 'model_list: [{ model_name: "sim/*", litellm_params: { model: "sim/*" } }]\n';

interface PreparedFolder {
  readonly folder: string;
  readonly settingsFile: string;
  /** Removes the folder, unless it belongs to the caller. */
  remove(): void;
}

function prepareFolder({ folder: given }: InstanceOptions, settings: string | null): PreparedFolder {
  const folder = given ?? mkdtempSync(join(tmpdir(), "tollgate-instance-"));
  if (given !== undefined) mkdirSync(folder, { recursive: true });
  const settingsFile = join(folder, "tollgate.yaml");
  if (settings !== null) writeFileSync(settingsFile, settings);
  if (given !== undefined) return { folder, settingsFile, remove: () => {} };
  const removeNow = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const forget = undoAtExit(removeNow);
  const remove = () => {
    forget();
    removeNow();
  };
  return { folder, settingsFile, remove };
}

async function start<Ready>(
  name: string,
  { folder, settingsFile, remove }: PreparedFolder,
  { command: [command, ...first] = [TOLLGATE], env = {} }: InstanceOptions,
  args: readonly string[],
  ownEnv: Readonly<Record<string, string>>,
): Promise<Instance<Ready>> {
  const { PATH, HOME } = process.env;
  const program = new Program({
    name,
    folder,
    launch: () => ({ command, args: [...first, ...args], env: { PATH, HOME, ...ownEnv, ...env } }),
    probe: async () => readReadyLine(program.readOutput()),
  });
  await program.launch();
  const end = async (how: () => Promise<unknown>) => {
    await how();
    remove();
  };
  try {
    await program.awaitReady(START_LIMIT_MS);
  } catch (error) {
    await end(() => program.kill());
    throw error;
  }
  const line = readReadyLine(program.readOutput());
  return {
    folder,
    settingsFile,
    ready: JSON.parse(line) as Ready,
    program,
    readLog: () => program.readOutput().replace(`${line}\n`, ""),
    stop: async () => {
      await end(() => program.stop("SIGTERM", STOP_LIMIT_MS));
      return program.exited;
    },
    kill: () => end(() => program.kill()),
  };
}

/** Returns the ready line. Throws if it has not been printed yet. */
function readReadyLine(output: string): string {
  const line = /^(\{.*"baseUrl":.*\})\n/m.exec(output)?.[1];
  if (line === undefined) throw new Error("it has not printed its ready line");
  return line;
}
