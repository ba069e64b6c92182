import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { usageError } from "../cli-error.ts";
import { settingNamed } from "./setting-names.ts";
import { readToml } from "./toml-file.ts";

interface ProjectFile {
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
  readonly profile: string | null;
}

const FILE = ".tollgate.toml";
const secretNames = /token|secret|password|api[-_]?key|credential/i;
/** Matches gateway keys and JWTs. */
const secretValues = /^(?:sk-|eyJ[\w-]+\.)/;

/**
 * Reads the nearest project file in this or a parent folder. Rejects a file that contains secrets, because project
 * files are shared.
 */
export function readProjectFile(cwd: string): ProjectFile | null {
  const path = findUpwards(cwd);
  if (path === null) return null;
  const values: Record<string, string> = {};
  let profile: string | null = null;
  for (const [name, value] of Object.entries(readToml(path) ?? {})) {
    if (secretNames.test(name) || (typeof value === "string" && secretValues.test(value)))
      throw refuseSecret(path, name);
    const setting = settingNamed(name);
    // A project file in a downloaded folder must not be able to specify a program to run.
    if (setting === "pager") throw usageError(`${path}: 'pager' can only be set in your own config.toml.`);
    if (name === "profile") profile = String(value);
    else if (setting === null || typeof value === "object") throw usageError(`${path}: unknown setting '${name}'.`);
    else values[setting] = String(value);
  }
  return { path, values, profile };
}

function refuseSecret(path: string, name: string) {
  return usageError(
    `${path}: '${name}' is a secret, and project files are shared. No request was sent.`,
    "Remove the setting, then either run tollgate login or set TOLLGATE_TOKEN or TOLLGATE_API_KEY.",
  );
}

function findUpwards(folder: string): string | null {
  const path = join(folder, FILE);
  if (existsSync(path)) return path;
  const parent = dirname(folder);
  return parent === folder ? null : findUpwards(parent);
}
