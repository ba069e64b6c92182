import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "../../testkit/src/wait-for.ts";
import type { ParticipantProfile } from "../recorded-case.ts";

/** SDKs that must behave identically. */
export type Sdk = "typescript" | "python";
export const SDKS: readonly Sdk[] = ["typescript", "python"];

const PYTHON_SDK = join(import.meta.dirname, "../../participant-python/src");
const PROGRAMS = join(import.meta.dirname, "../subjects");

/**
 * A participant that runs with one SDK in its own process. Its functions do what a request's `config.behavior` says.
 */
export class Subject {
  readonly port: number;
  readonly pid: number;
  /** Folder with the gate files that functions wait for. */
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;

  private constructor(child: ChildProcess, folder: string, port: number, exited: Promise<number | null>) {
    this.port = port;
    this.pid = child.pid ?? 0;
    this.#child = child;
    this.#folder = folder;
    this.#exited = exited;
  }

  static async start(sdk: Sdk, profile: ParticipantProfile, python = "python3"): Promise<Subject> {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-participant-"));
    for (const [name, text] of Object.entries(profile.files ?? {})) writeFileSync(join(folder, name), text);
    const settings = JSON.stringify({ ...profile, folder }).replaceAll("{folder}", folder);
    const [command, program] = sdk === "typescript" ? [process.execPath, "subject.ts"] : [python, "subject.py"];
    const child = spawn(command, [join(PROGRAMS, program)], {
      stdio: ["ignore", "ignore", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        TMPDIR: folder,
        PYTHONPATH: PYTHON_SDK,
        PYTHONDONTWRITEBYTECODE: "1",
        SUBJECT: settings,
        ...profile.environment,
      },
    });
    let written = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      written = `${written}${text}`.slice(-20_000);
    });
    const exited = once(child, "exit").then(([code]) => code as number | null);
    const portFile = join(folder, "port");
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    await waitFor(`the ${sdk} participant to listen`, () => hasEnded() || existsSync(portFile));
    if (hasEnded()) throw new Error(`the ${sdk} participant did not start: ${written}`);
    return new Subject(child, folder, Number(readFileSync(portFile, "utf8")), exited);
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves with the exit code; null if a signal killed the process. */
  get exited(): Promise<number | null> {
    return this.#exited;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Releases functions that wait at this gate. */
  openGate(name: string): void {
    writeFileSync(join(this.#folder, `${name}.open`), "");
  }

  /** Resolves when a function has reached this gate. */
  async gateReached(name: string): Promise<void> {
    await waitFor(`a function at gate ${name}`, () => existsSync(join(this.#folder, `${name}.reached`)));
  }

  /** Kills the process and removes its files. */
  async stop(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
