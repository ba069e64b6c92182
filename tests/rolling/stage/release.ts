import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** A release that can be run. */
export interface Release {
  readonly version: string;
  readonly program: string;
}

const root = resolve(import.meta.dirname, "../../..");
const BUILD_LIMIT_MS = 300_000;

/** Returns this source tree as a release, without packaging it. */
export function thisRelease(): Release {
  const { version } = readJson<{ version: string }>(join(root, "package.json"));
  return { version, program: join(root, "bin/tollgate") };
}

/** Returns the previous release, packaged and installed the way users install it. It is built once, under `tools/`. */
export function previousRelease(tell: (line: string) => void): Release {
  const { version, commit } = readJson<{ version: string; commit: string }>(
    join(root, "scripts/previous-release.json"),
  );
  const folder = join(root, "tools/previous", commit.slice(0, 12));
  if (!existsSync(folder)) {
    tell(`packing and installing ${version}`);
    keep(folder, (place) => installPacked(place, ["--previous"]));
  }
  return installedRelease(folder);
}

/** Packages this tree and installs it in the folder. */
export function packedRelease(folder: string): Release {
  installPacked(folder, []);
  return installedRelease(folder);
}

/** Returns the release that is installed in the folder. */
export function installedRelease(folder: string): Release {
  const { version } = readJson<{ version: string }>(join(folder, "node_modules/tollgate/package.json"));
  return { version, program: resolve(folder, "node_modules/.bin/tollgate") };
}

function installPacked(folder: string, args: readonly string[]): void {
  const out = mkdtempSync(join(tmpdir(), "tollgate-packed-"));
  try {
    run(root, process.execPath, [join(root, "scripts/build-package.ts"), ...args, "--out", out, "--json"]);
    const tarball = execFileSync("/bin/sh", ["-c", `ls ${out}/*.tgz`], { encoding: "utf8" }).trim();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    run(folder, "npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", tarball]);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Creates a folder atomically, by using a temporary name until the folder is complete. */
function keep(folder: string, make: (place: string) => void): void {
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  make(unfinished);
  renameSync(unfinished, folder);
}

function run(cwd: string, command: string, args: readonly string[]): void {
  execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"], timeout: BUILD_LIMIT_MS });
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8"));
