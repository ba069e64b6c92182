import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Revert } from "./reverts.ts";

/** Reverts a fix in a source folder. Returns a function that restores the files. */
export function applyRevert(folder: string, revert: Revert): () => void {
  const reverted = revertTexts(folder, revert);
  const originals = new Map([...reverted.keys()].map((path) => [path, readFileSync(path, "utf8")]));
  writeAll(reverted);
  return () => writeAll(originals);
}

/** Returns the changed files by path. If an edit does not match exactly once, throws an error that names the revert. */
export function revertTexts(folder: string, { name, edits }: Revert): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { file, before, after } of edits) {
    const path = join(folder, file);
    const parts = (texts.get(path) ?? readFileSync(path, "utf8")).split(before);
    if (parts.length !== 2) {
      throw new Error(`revert '${name}': ${file} has ${parts.length - 1} matches instead of 1 for\n${before}`);
    }
    texts.set(path, parts.join(after));
  }
  return texts;
}

function writeAll(texts: ReadonlyMap<string, string>): void {
  for (const [path, text] of texts) writeFileSync(path, text);
}
