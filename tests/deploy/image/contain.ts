import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import type { ImageSettings } from "./dockerfile.ts";

export interface Containment {
  /** Root folder of the image. */
  readonly image: string;
  /** Folders that are mounted at /data and at /etc/tollgate. */
  readonly data: string;
  readonly settingsFolder: string;
  readonly settings: ImageSettings;
  readonly env: Readonly<Record<string, string>>;
}

// Enters new namespaces in which the image is read-only, /tmp is new, /proc and /dev are mounted as in a container, and
// the program is process 1. The mounts disappear with the namespace.
const ENTER = `
set -e
image=$1 data=$2 settings=$3 user=$4 workdir=$5
shift 5
mount --make-rprivate /
mount --bind "$image" "$image"
mount --rbind /dev "$image/dev"
mount -t proc proc "$image/proc"
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$image/tmp"
mount --bind "$data" "$image/data"
mount --bind -o ro "$settings" "$image/etc/tollgate"
mount -o remount,bind,ro "$image"
exec chroot --userspec="$user" "$image" /usr/local/bin/node --eval \
  'process.chdir(process.argv[1]); process.execve(process.argv[2], process.argv.slice(2))' "$workdir" "$@"
`;

/**
 * Runs a command in the image as a container engine would: with a read-only root, as the image's user, and with only
 * the image's environment.
 */
export function contain(command: readonly string[], containment: Containment): ChildProcess {
  const { image, data, settingsFolder, settings, env } = containment;
  // Create the mount points that a container engine would create.
  for (const folder of ["dev", "proc"]) mkdirSync(`${image}/${folder}`, { recursive: true });
  const args = [image, data, settingsFolder, settings.user, settings.workdir, ...command];
  return spawn("unshare", ["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh", ...args], {
    env: { ...settings.env, ...env, PATH: `${settings.env.PATH}:/usr/sbin:/usr/bin:/sbin:/bin` },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Returns the host PID of the process that has PID 1 in the container. */
export const findInner = ({ pid }: ChildProcess): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());

/** Waits until a program exits. Returns its output and exit code. */
export async function waitForEnd(child: ChildProcess): Promise<{ code: number | null; text: string }> {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, text };
}
