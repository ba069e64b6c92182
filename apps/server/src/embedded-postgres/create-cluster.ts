import { execFile } from "node:child_process";
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { EMBEDDED_USER } from "./embedded-connection.ts";
import { launchUnprivileged, type SystemUser } from "./launch-unprivileged.ts";
import type { PostgresBinaries } from "./postgres-binaries.ts";

const CREATE_LIMIT_MS = 60_000;

/** Creates an empty database in `cluster` atomically. An interrupted run leaves no folder that looks complete. */
export async function createCluster(
  binaries: PostgresBinaries,
  cluster: string,
  password: string,
  user: SystemUser | null,
): Promise<void> {
  if (existsSync(cluster)) return;
  const building = `${cluster}.new`;
  const passwordFile = `${cluster}.password`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  for (const path of user === null ? [] : [building, passwordFile]) chownSync(path, user?.uid ?? 0, user?.gid ?? 0);
  // Use a built-in locale. If the sort order depended on this machine's locales, the data couldn't be moved to another
  // machine.
  const locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const access = ["-U", EMBEDDED_USER, "-A", "scram-sha-256", `--pwfile=${passwordFile}`];
  const args = ["-D", building, "-E", "UTF8", ...access, ...locale];
  const { command, args: all, ...ids } = launchUnprivileged(binaries.initdb, args, { reaches: [building], user });
  try {
    await promisify(execFile)(command, all, { cwd: "/", env: binaries.environment, timeout: CREATE_LIMIT_MS, ...ids });
  } catch (cause) {
    throw new Error(`Could not create the embedded database in ${cluster}: ${readMessage(cause)}`, { cause });
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(building, cluster);
}

function readMessage(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return stderr?.trim().split("\n").at(-1) || message;
}
