import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parse, stringify, type TomlTable } from "smol-toml";
import { usageError } from "../cli-error.ts";

/** A file as a table; null when there is none. One that cannot be read is told by its place. */
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

/** Puts the table in place of the file at once, so that a reader never sees half of it. Only its owner can read it. */
export function writeToml(path: string, table: TomlTable): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${stringify(table)}\n`, { mode: 0o600 });
  // A file left over under this name keeps its mode when it is written anew.
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}
