import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Exact text in a product file, and its replacement. */
export interface Edit {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** Edits that belong together, such as a reverted fix or a planted defect. */
export interface NamedEdits {
  readonly name: string;
  readonly edits: readonly Edit[];
}

/** Applies edits in a source folder. Returns a function that restores the files. */
export function applyEdits(folder: string, named: NamedEdits): () => void {
  const edited = editTexts(folder, named);
  const originals = new Map([...edited.keys()].map((path) => [path, readFileSync(path, "utf8")]));
  writeAll(edited);
  return () => writeAll(originals);
}

/** Returns the changed files by path. If an edit does not match exactly once, throws an error that names the edits. */
export function editTexts(folder: string, { name, edits }: NamedEdits): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { file, before, after } of edits) {
    const path = join(folder, file);
    const parts = (texts.get(path) ?? readFileSync(path, "utf8")).split(before);
    if (parts.length !== 2) {
      throw new Error(`'${name}': ${file} has ${parts.length - 1} matches instead of 1 for\n${before}`);
    }
    texts.set(path, parts.join(after));
  }
  return texts;
}

function writeAll(texts: ReadonlyMap<string, string>): void {
  for (const [path, text] of texts) writeFileSync(path, text);
}
