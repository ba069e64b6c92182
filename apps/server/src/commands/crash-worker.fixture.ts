import { existsSync, rmSync } from "node:fs";
import { threadName } from "node:worker_threads";

// Loaded into every thread of a server under test, before the server itself. Makes the worker's thread fail when the test
// creates a file.

const EVERY_MS = 20;
const file = process.env.CRASH_WORKER_FILE;

if (threadName === "worker" && file !== undefined) setInterval(() => failIfWanted(file), EVERY_MS).unref();

function failIfWanted(path: string): void {
  if (!existsSync(path)) return;
  rmSync(path);
  throw new Error("the test wants the worker to fail");
}
