import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CleanPrefix, installEnvironment } from "./clean-prefix.ts";

interface Installed {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity?: string }>>;
}

/**
 * Checks that the lock file next to the tarball installs a complete dependency tree, and that the SBOM lists every
 * package in it.
 */
export function proveInstallLock(out: string, sbom: string, prefix: CleanPrefix): void {
  const env = installEnvironment(prefix);
  const npm = (...args: string[]) => execFileSync("npm", args, { cwd: out, env, encoding: "utf8", maxBuffer: 1e8 });
  npm("ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error");
  npm("ls", "--all", "--json"); // Fails when a package is missing, or is not the version another needs.
  const { packages } = JSON.parse(readFileSync(join(out, "node_modules/.package-lock.json"), "utf8")) as Installed;
  const { components } = JSON.parse(readFileSync(sbom, "utf8")) as { components: { name: string; version: string }[] };
  const named = new Set(components.map(({ name, version }) => `${name}@${version}`));
  const installed = Object.entries(packages)
    .map(
      ([place, { version }]) =>
        `${place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length)}@${version}`,
    )
    .filter((key) => !key.startsWith("tollgate@"));
  assert.ok(installed.length > 75, `only ${installed.length} packages were installed`);
  assert.deepEqual(
    installed.filter((key) => !named.has(key)),
    [],
  );
  assert.match(execFileSync(join(out, "node_modules/.bin/tollgate"), ["--version"], { env, encoding: "utf8" }), /^\d/);
}
