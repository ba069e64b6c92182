import { existsSync, readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { type DoctorContext, type Finding, failed, passed, warned } from "./doctor-finding.ts";

const NEEDED_NODE_MAJOR = 24;
const WANTED_OPEN_FILES = 16_384;
const MEBIBYTE = 1024 * 1024;
const LOW_DISK_BYTES = 2_048 * MEBIBYTE;
const FULL_DISK_BYTES = 256 * MEBIBYTE;

export function checkVersion({ apps }: DoctorContext): Finding[] {
  return [passed("version", apps.gateway.version)];
}

/** Checks the Node version. Older versions can't run TypeScript directly. */
export function checkRuntime(): Finding[] {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= NEEDED_NODE_MAJOR) return [passed("runtime", `Node ${node}`)];
  return [failed("runtime", `Node ${node}`, `Use Node ${NEEDED_NODE_MAJOR}, or bin/tollgate, which includes it.`)];
}

/** Checks the open-file limit. Each call uses two descriptors: the client connection and the provider connection. */
export function checkOpenFiles(): Finding[] {
  const limit = readOpenFileLimit();
  if (limit === null) return [];
  const text = `${limit === Number.POSITIVE_INFINITY ? "unlimited" : limit.toLocaleString("en-US")}`;
  if (limit >= WANTED_OPEN_FILES) return [passed("open files", text)];
  const calls = Math.floor(limit / 2).toLocaleString("en-US");
  return [
    warned(
      "open files",
      `${text}: at most ${calls} concurrent requests`,
      `Run ulimit -n ${WANTED_OPEN_FILES}, or set LimitNOFILE=${WANTED_OPEN_FILES} in the systemd unit.`,
    ),
  ];
}

/** Checks the free disk space for the data directory or, if there is none, for the working directory. */
export async function checkDisk(context: DoctorContext): Promise<Finding[]> {
  const folder = nearestFolder(context.dataDir ?? context.cwd);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const text = `${formatBytes(free)} free at ${folder}`;
  if (free >= LOW_DISK_BYTES) return [passed("disk", text)];
  const fix = "Free up disk space, or move the data directory.";
  return [free < FULL_DISK_BYTES ? failed("disk", text, fix) : warned("disk", text, fix)];
}

function readOpenFileLimit(): number | null {
  if (!existsSync("/proc/self/limits")) return null;
  const soft = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

function formatBytes(bytes: number): string {
  const mebibytes = bytes / MEBIBYTE;
  return mebibytes >= 1_024 ? `${Math.floor(mebibytes / 1_024)} GB` : `${Math.floor(mebibytes)} MB`;
}
