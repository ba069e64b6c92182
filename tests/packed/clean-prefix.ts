import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A machine that has Node and nothing else, as far as programs can see: own home, own cache, a PATH of one folder. */
export interface CleanPrefix {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

// npm runs what it starts by `sh`, participants are watched by a line of it; the command that `dev` prints is for `curl`.
const PROGRAMS = ["npm", "npx", "sh", "cat", "curl"];

export function makeCleanPrefix(scratch: string): CleanPrefix {
  const folder = join(scratch, "project");
  const bin = join(scratch, "bin");
  const home = join(scratch, "home");
  for (const path of [folder, bin, home]) mkdirSync(path, { recursive: true });
  symlinkSync(process.execPath, join(bin, "node"));
  for (const name of PROGRAMS) {
    symlinkSync(
      realpathSync(execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim()),
      join(bin, name),
    );
  }
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  return {
    folder,
    env: { PATH: bin, HOME: home, npm_config_cache: join(scratch, "npm-cache"), npm_config_update_notifier: "false" },
  };
}

const INSTALL_LIMIT_MS = 180_000;
// The way to the registry is the machine's own: a proxy, certificates, another registry.
const WAY_TO_REGISTRY = /^(?:https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|npm_config_registry)$/i;

/** The environment of npm while it may use the network. */
export function installEnvironment({ env }: CleanPrefix): NodeJS.ProcessEnv {
  const way = Object.entries(process.env).filter(([name]) => WAY_TO_REGISTRY.test(name));
  return { ...Object.fromEntries(way), ...env };
}

/** What a stranger types, with no install script run. */
export function installTarball(prefix: CleanPrefix, tarball: string): void {
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", tarball], {
    cwd: prefix.folder,
    env: installEnvironment(prefix),
    stdio: ["ignore", "ignore", "inherit"],
    timeout: INSTALL_LIMIT_MS,
  });
}
