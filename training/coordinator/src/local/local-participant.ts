import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { LocalSetupError } from "./local-setup-error.ts";
import { killGroup, spawnGuarded } from "./spawn-guarded.ts";

interface LocalParticipantOptions {
  readonly id: string;
  readonly port: number;
  readonly token: string;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
}

const HOST = "127.0.0.1";
const START_LIMIT_MS = 30_000;
const LOOK_AGAIN_MS = 15;
const STOP_LIMIT_MS = 2_000;
const LOG_LINES_SHOWN = 12;
const PROBE_LIMIT_MS = 2_000;
/** Limits restarts of a program that keeps exiting. */
const MAX_RESTARTS = 2;

/** A participant process on this computer that runs for the duration of one run. */
export class LocalParticipant {
  readonly id: string;
  readonly url: string;
  readonly token: string;
  readonly #options: LocalParticipantOptions;
  #child: ChildProcess;
  #isStopping = false;
  #restarts = 0;

  /** Starts the program. Wait for `ready` before using it. */
  constructor(options: LocalParticipantOptions) {
    this.id = options.id;
    this.url = `http://${HOST}:${options.port}`;
    this.token = options.token;
    this.#options = options;
    this.#child = startProgram(options);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Describes how the program exited without being stopped; null while the program is running. */
  get ending(): string | null {
    const { signalCode, exitCode } = this.#child;
    if (this.#isStopping) return null;
    if (signalCode !== null) return `was terminated by ${signalCode}`;
    return exitCode === null ? null : `exited with code ${exitCode}`;
  }

  /** Like `ending`, but for a round's progress line: also says whether the program will be restarted. */
  get absence(): string | null {
    const { ending } = this;
    return ending !== null && this.#restarts < MAX_RESTARTS ? `${ending}, restarted` : ending;
  }

  /** Restarts a program that has exited, up to the limit per run. Returns true if it responds again. */
  async restart(signal: AbortSignal): Promise<boolean> {
    if (this.ending === null || this.#restarts >= MAX_RESTARTS) return false;
    this.#restarts += 1;
    killGroup(this.pid);
    this.#child = startProgram(this.#options);
    try {
      await this.ready(signal);
      return true;
    } catch (error) {
      if (!(error instanceof LocalSetupError)) throw error;
      // The participant counts as dead until the next restart, and `ending` is reported as its failure.
      killGroup(this.pid);
      return false;
    }
  }

  /** Resolves when the program responds. Rejects with the program's output if it exits or does not respond in time. */
  async ready(signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + START_LIMIT_MS;
    while (!(await this.#answers())) {
      signal.throwIfAborted();
      const isLate = performance.now() > deadline;
      if (this.ending !== null || isLate) {
        const what = this.ending ?? `did not respond within ${START_LIMIT_MS / 1000} s`;
        throw new LocalSetupError(`${this.id} ${what} before it was ready.\n${this.#lastLines()}`, this.#adviseStart());
      }
      await pause(LOOK_AGAIN_MS);
    }
  }

  /** Stops the program and its children: gracefully first, then by force. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      this.#isStopping = true;
      child.kill("SIGTERM");
      await Promise.race([ended, pause(STOP_LIMIT_MS, undefined, { ref: false })]);
      killGroup(this.pid);
      await ended;
    } else killGroup(this.pid);
  }

  async #answers(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/healthz`, { signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }

  #lastLines(): string {
    const text = readFileSync(this.#options.logFile, "utf8").trimEnd();
    if (text === "") return "  It printed no output.";
    const lines = text.split("\n").slice(-LOG_LINES_SHOWN);
    return lines.map((line) => `  ${line}`).join("\n");
  }

  #adviseStart(): string {
    const { command, logFile } = this.#options;
    // Shell convention: the command was not found or is not executable.
    if (this.#child.exitCode === 127 || this.#child.exitCode === 126) {
      return `Install '${command[0]}', or set local.command in the plan to another program`;
    }
    const isSilent = readFileSync(logFile, "utf8").trim() === "";
    return isSilent
      ? "The program in local.command must serve on 127.0.0.1:$PORT until it is stopped, as run() of the SDK does"
      : `Fix the reported error. The full output is in ${logFile}`;
  }
}

function startProgram({ id, port, token, command, cwd, env, logFile }: LocalParticipantOptions): ChildProcess {
  const logFd = openSync(logFile, "a", 0o600);
  const child = spawnGuarded({
    command,
    cwd,
    env: { ...env, HOST, PORT: String(port), PARTICIPANT_TOKEN: token, PARTICIPANT_ID: id, PYTHONUNBUFFERED: "1" },
    logFd,
  });
  closeSync(logFd);
  if (child.pid === undefined)
    throw new LocalSetupError("This system has no /bin/sh.", "Run the participants on another system");
  return child;
}
