import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { listProcessTree, signalProcess, undoAtExit } from "./clean-up.ts";

export interface ProgramLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
  readonly env?: NodeJS.ProcessEnv;
}

interface ProgramOptions {
  readonly name: string;
  /** Working directory, which also contains the log. */
  readonly folder: string;
  readonly launch: () => ProgramLaunch | Promise<ProgramLaunch>;
  /** Resolves if the program serves requests, and rejects otherwise. */
  readonly probe: () => Promise<unknown>;
  /** Called with the number of processes that were killed with SIGKILL. */
  readonly onKill?: (count: number) => void;
}

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 30_000;
const PROBE_PAUSE_MS = 30;
const SHOWN_LOG_LINES = 15;

/** A program on the stage, with all of its processes. It can be killed, frozen, and restarted at any time. */
export class Program {
  readonly name: string;
  readonly folder: string;
  readonly #options: ProgramOptions;
  #child: ChildProcess | null = null;
  #exited: Promise<number | null> = Promise.resolve(null);
  /** Size of the log at the last launch. */
  #logStart = 0;
  #forget: () => void = () => {};

  constructor(options: ProgramOptions) {
    this.name = options.name;
    this.folder = options.folder;
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Returns the PID of the program. Throws if the program is not running. */
  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined || !this.isRunning) throw new Error(`${this.name} is not running`);
    return pid;
  }

  /** Resolves with the exit code of the last launch, or with null if a signal ended it. */
  get exited(): Promise<number | null> {
    return this.#exited;
  }

  /** Returns the PIDs of the program and all of its descendants. The program's PID comes first. */
  pids(): number[] {
    return this.isRunning ? listProcessTree(this.pid) : [];
  }

  /** Starts the program and resolves when it serves requests. */
  async start(): Promise<void> {
    await this.launch();
    await this.awaitReady();
  }

  /** Starts the program without waiting for it to serve requests. */
  async launch(): Promise<void> {
    if (this.isRunning) throw new Error(`${this.name} runs already`);
    const { command, args, env, ...user } = endWithUs(await this.#options.launch());
    const log = openSync(this.#logFile, "a");
    this.#logStart = statSync(this.#logFile).size;
    const child = spawn(command, args, {
      cwd: this.folder,
      detached: true,
      stdio: ["ignore", log, log],
      env: env ?? process.env,
      ...user,
    });
    closeSync(log);
    this.#exited = new Promise((resolve) => {
      child.once("exit", resolve);
      child.once("error", () => resolve(null));
    });
    this.#child = child;
    this.#forget = undoAtExit(() => {
      for (const pid of this.pids()) signalProcess(pid, "SIGKILL");
    });
  }

  /** Resolves when the program serves requests, within a minute by default. Rejects if the program exits instead. */
  async awaitReady(limitMs = START_LIMIT_MS): Promise<void> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      try {
        return void (await within(2_000, this.#options.probe()));
      } catch (cause) {
        if (!this.isRunning) throw new Error(`${this.name} ended before it served\n${this.readLog()}`, { cause });
        if (performance.now() > deadline) throw new Error(`${this.name} does not serve\n${this.readLog()}`, { cause });
      }
      await pause(PROBE_PAUSE_MS);
    }
  }

  /** Sends a signal to the program, but not to its descendants. Does nothing if the program has ended. */
  signal(signal: NodeJS.Signals): void {
    if (this.isRunning) signalProcess(this.pid, signal);
  }

  /** Kills the program and all its descendants with SIGKILL. */
  async kill(): Promise<void> {
    const pids = this.pids();
    for (const pid of pids) signalProcess(pid, "SIGKILL");
    this.#options.onKill?.(pids.length);
    await this.#gone(pids);
  }

  /** Stops the program, forcibly if necessary. Resolves with its exit code. */
  async stop(signal: NodeJS.Signals = "SIGTERM", limitMs = STOP_LIMIT_MS): Promise<number | null> {
    const child = this.#child;
    if (child === null || !this.isRunning) return child?.exitCode ?? null;
    const pids = this.pids();
    signalProcess(this.pid, "SIGCONT");
    signalProcess(this.pid, signal);
    const deadline = performance.now() + limitMs;
    while (this.isRunning && performance.now() < deadline) await pause(PROBE_PAUSE_MS);
    for (const pid of this.isRunning ? this.pids() : pids.filter(isAlive)) signalProcess(pid, "SIGKILL");
    await this.#gone(pids);
    return child.exitCode;
  }

  /** Suspends all processes of the program, so that they neither respond nor refuse connections. */
  freeze(): void {
    for (const pid of this.pids()) signalProcess(pid, "SIGSTOP");
  }

  thaw(): void {
    for (const pid of this.pids()) signalProcess(pid, "SIGCONT");
  }

  /** Reports whether the program has ever printed this text. */
  hasPrinted(text: string): boolean {
    return existsSync(this.#logFile) && readFileSync(this.#logFile, "utf8").includes(text);
  }

  /** Returns everything that the program has written to the log since its last launch. */
  readOutput(): string {
    return existsSync(this.#logFile) ? readFileSync(this.#logFile).subarray(this.#logStart).toString("utf8") : "";
  }

  /** Returns the last lines of the program's output. */
  readLog(): string {
    if (!existsSync(this.#logFile)) return "";
    return readFileSync(this.#logFile, "utf8").trimEnd().split("\n").slice(-SHOWN_LOG_LINES).join("\n");
  }

  get #logFile(): string {
    return join(this.folder, `${this.name}.log`);
  }

  async #gone(pids: readonly number[]): Promise<void> {
    const deadline = performance.now() + STOP_LIMIT_MS;
    while (this.isRunning || pids.some(isAlive)) {
      if (performance.now() > deadline) throw new Error(`${this.name} did not end`);
      await pause(5);
    }
    this.#forget();
  }
}

/** Reports whether the process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.charAt(stat.lastIndexOf(")") + 2) !== "Z";
  } catch {
    return false;
  }
}

/** Rejects if the promise takes longer than the limit. */
export async function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`nothing within ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

const SETPRIV = "/usr/bin/setpriv";

/** Makes the kernel kill the program when this process exits, even if this process is killed. */
function endWithUs(launch: ProgramLaunch): ProgramLaunch {
  if (launch.command.endsWith("/setpriv")) return { ...launch, args: ["--pdeathsig", "KILL", ...launch.args] };
  if (!existsSync(SETPRIV)) return launch;
  return { ...launch, command: SETPRIV, args: ["--pdeathsig", "KILL", launch.command, ...launch.args] };
}
