import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

const SERVICE_POLICY = "/usr/sbin/policy-rc.d";

/** Returns the full path of a program in PATH or in one of the given folders, or null. */
export function findProgram(name: string, folders: readonly string[] = []): string | null {
  const candidates = [...folders, ...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"].map((folder) =>
    join(folder, name),
  );
  return candidates.find(isExecutable) ?? null;
}

/** Installs Debian packages without starting their services. */
export function installPackages(...packages: string[]): void {
  if (process.getuid?.() !== 0) throw new Error(`please install first: apt-get install ${packages.join(" ")}`);
  console.log(`Installing ${packages.join(", ")}`);
  const isOurPolicy = !existsSync(SERVICE_POLICY);
  if (isOurPolicy) writeFileSync(SERVICE_POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    execFileSync("apt-get", ["-qq", "update"], { env, stdio: ["ignore", "ignore", "inherit"] });
    const install = ["-qq", "install", "--yes", "--no-install-recommends", ...packages];
    execFileSync("apt-get", install, { env, stdio: ["ignore", "ignore", "inherit"] });
  } finally {
    if (isOurPolicy) rmSync(SERVICE_POLICY, { force: true });
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
