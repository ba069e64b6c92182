import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parse, stringify, type TomlTable } from "smol-toml";
import { usageError } from "../cli-error.ts";

/** Reads a TOML file; null if it doesn't exist. Throws a usage error with the position of the first syntax error. */
export function readToml(path: string): TomlTable | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw usageError(`Could not read ${path}: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}.`);
  }
  try {
    return parse(text);
  } catch (error) {
    const [problem] = (error as Error).message.split("\n");
    throw usageError(`Invalid file ${path}: ${problem}.`);
  }
}

/** Replaces the file atomically, so that readers never see a partial file. Only the file's owner can read it. */
export function writeToml(path: string, table: TomlTable): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${stringify(table)}\n`, { mode: 0o600 });
  // `mode` applies only to new files, and an earlier process may have left a file with this name.
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}
