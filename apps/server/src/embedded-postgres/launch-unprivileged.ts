// cspell:ignore nobody
import { existsSync, readFileSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** IDs of a non-root user. Minimal images may have no name for the user. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

interface LaunchOptions {
  /** Paths of the program and of all folders that it uses. The user gets just enough rights to traverse them. */
  readonly reaches: readonly string[];
  /** User to run the program as; null if this process isn't root, in which case the user doesn't change. */
  readonly user: SystemUser | null;
  /** Signal that the kernel sends when the launching process ends for any reason. */
  readonly signalOnOurDeath?: "INT";
}

/** The kernel's overflow user, used if the system defines no other unprivileged user. */
const OVERFLOW_USER: SystemUser = { uid: 65_534, gid: 65_534 };
const SETPRIV = ["/usr/bin/setpriv", "/bin/setpriv"];
const CAPABILITY_BITS = { dac_override: 1n, dac_read_search: 2n } as const;

/**
 * Returns an unprivileged user to run PostgreSQL as, or null if this process isn't root. PostgreSQL refuses to run as
 * root. If the data folder belongs to an unprivileged user, that user is returned.
 */
export function chooseUser(dataFolder: string): SystemUser | null {
  if (process.getuid?.() !== 0) return null;
  const owner = existsSync(dataFolder) ? statSync(dataFolder) : null;
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return findSystemUser("postgres") ?? findSystemUser("nobody") ?? OVERFLOW_USER;
}

/** Returns the command that runs a program as the given user, even if its parent folders are private. */
export function launchUnprivileged(program: string, args: readonly string[], options: LaunchOptions): Launch {
  const { user, signalOnOurDeath } = options;
  const setpriv = SETPRIV.find((path) => existsSync(path));
  const capability = user === null ? null : findMissingCapability(program, options.reaches, user);
  if (setpriv === undefined) {
    if (capability !== null)
      throw new Error(`user ${user?.uid} cannot access ${options.reaches.join(" or ")}, and setpriv is not installed`);
    return { command: program, args, ...user };
  }
  const flags = [
    ...(signalOnOurDeath ? ["--pdeathsig", signalOnOurDeath] : []),
    ...(user ? ["--reuid", `${user.uid}`, "--regid", `${user.gid}`, "--clear-groups", "--no-new-privs"] : []),
    // PostgreSQL checks its program with access(2), which ignores capabilities unless this secure bit is set.
    ...(capability
      ? ["--securebits=+no_setuid_fixup", `--inh-caps=-all,+${capability}`, `--ambient-caps=-all,+${capability}`]
      : []),
  ];
  return flags.length === 0 ? { command: program, args } : { command: setpriv, args: [...flags, program, ...args] };
}

function findSystemUser(name: string): SystemUser | null {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) };
}

function findMissingCapability(
  program: string,
  reaches: readonly string[],
  user: SystemUser,
): keyof typeof CAPABILITY_BITS | null {
  const canRun = canExecute(statSync(program), user);
  if (
    canRun &&
    [program, ...reaches].every((path) => parentsOf(path).every((folder) => canExecute(statSync(folder), user)))
  ) {
    return null;
  }
  // The dac_read_search capability is enough to traverse private folders, but not to run a program without a public
  // execute bit.
  const wanted = (canRun ? ["dac_read_search", "dac_override"] : ["dac_override"]) as (keyof typeof CAPABILITY_BITS)[];
  const capability = wanted.find(hasCapability);
  if (capability === undefined) {
    throw new Error(
      `PostgreSQL would run as user ${user.uid}, which cannot access ${[program, ...reaches].join(" or ")}. Choose a folder that other users can access.`,
    );
  }
  return capability;
}

function hasCapability(name: keyof typeof CAPABILITY_BITS): boolean {
  const permitted = /^CapPrm:\s*([0-9a-f]+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  return ((BigInt(`0x${permitted}`) >> CAPABILITY_BITS[name]) & 1n) === 1n;
}

function canExecute(stats: Stats, user: SystemUser): boolean {
  if (stats.uid === user.uid) return (stats.mode & 0o100) !== 0;
  if (stats.gid === user.gid) return (stats.mode & 0o010) !== 0;
  return (stats.mode & 0o001) !== 0;
}

function parentsOf(path: string): string[] {
  const parent = dirname(resolve(path));
  return parent === resolve(path) ? [] : [...parentsOf(parent), parent];
}
