import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Simulates a machine that has only Node: a separate home folder and cache, and a PATH with one folder. */
export interface CleanPrefix {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

// Keep these programs: npm starts programs with `sh`, a shell command watches the participants, and `dev` prints a
// command for `curl`.
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
// Keep these variables, because a machine may need a proxy, certificates, or another registry for npm.
const WAY_TO_REGISTRY = /^(?:https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|npm_config_registry)$/i;

/** Returns npm's environment for steps that use the network. */
export function installEnvironment({ env }: CleanPrefix): NodeJS.ProcessEnv {
  const way = Object.entries(process.env).filter(([name]) => WAY_TO_REGISTRY.test(name));
  return { ...Object.fromEntries(way), ...env };
}

/** Installs the package as a user would, without running install scripts. */
export function installTarball(prefix: CleanPrefix, tarball: string): void {
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", tarball], {
    cwd: prefix.folder,
    env: installEnvironment(prefix),
    stdio: ["ignore", "ignore", "inherit"],
    timeout: INSTALL_LIMIT_MS,
  });
}
