import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
} from "../../apps/server/src/embedded-postgres/process-identity.ts";
import type { Engine, Launch } from "./engine.ts";

const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 20_000;
const PROBE_INTERVAL_MS = 25;

/**
 * Returns the process ID of the running engine, or null. A recorded ID reused by another program counts as not
 * running.
 */
export function findPid(engine: Engine): number | null {
  try {
    const recorded: ProcessIdentity = JSON.parse(readFileSync(pidFile(engine), "utf8"));
    return isRunning(recorded) ? recorded.pid : null;
  } catch {
    return null;
  }
}

/** Starts the program detached and resolves when it responds. */
export async function startEngine(engine: Engine, launch: Launch): Promise<string> {
  const log = openSync(logFile(engine), "a");
  const { command, args, ...user } = launch;
  const child = spawn(command, args, { detached: true, stdio: ["ignore", log, log], cwd: engine.folder, ...user });
  closeSync(log);
  let failure: Error | null = null;
  child.once("error", (error) => {
    failure = error;
  });
  child.once("exit", (code, signal) => {
    failure ??= new Error(`${engine.name} ended at once (${signal ?? `exit ${code}`}); see ${logFile(engine)}`);
  });
  child.unref();
  writeFileSync(pidFile(engine), JSON.stringify(identifyProcess(child.pid ?? 0)));
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    if (failure !== null) throw failure;
    try {
      return await engine.probe();
    } catch (error) {
      if (Date.now() > deadline)
        throw new Error(`${engine.name} did not answer; see ${logFile(engine)}`, { cause: error });
    }
    await pause(PROBE_INTERVAL_MS);
  }
}

/** Stops exactly the recorded process and resolves when it has exited. */
export async function stopEngine(engine: Engine): Promise<boolean> {
  const pid = findPid(engine);
  if (pid !== null) {
    process.kill(pid, engine.stopSignal);
    const deadline = Date.now() + STOP_LIMIT_MS;
    while (findPid(engine) !== null) {
      if (Date.now() > deadline) throw new Error(`${engine.name} (pid ${pid}) did not end after ${engine.stopSignal}`);
      await pause(PROBE_INTERVAL_MS);
    }
  }
  rmSync(pidFile(engine), { force: true });
  return pid !== null;
}

const pidFile = (engine: Engine) => join(engine.folder, "pid");
const logFile = (engine: Engine) => join(engine.folder, "log");
