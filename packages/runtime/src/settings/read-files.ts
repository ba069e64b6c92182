import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Findings } from "./findings.ts";
import { readYaml } from "./read-yaml.ts";
import { isBlank, type Place, type SourceEntry, type SourceMap, type SourceNode } from "./source-tree.ts";

/** A settings file in memory; `name` is used in messages and as the base of relative includes. */
export interface SettingsText {
  readonly name: string;
  readonly text: string;
}

const MAX_INCLUDE_DEPTH = 8;
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/**
 * Reads all files and their includes into one tree. Lists are concatenated. For a duplicate setting, a later file takes
 * precedence over an earlier one, and a file takes precedence over the files it includes.
 */
export function readFiles(files: readonly (string | SettingsText)[], cwd: string, findings: Findings): SourceMap {
  let merged: SourceMap | null = null;
  for (const source of files) {
    const name = typeof source === "string" ? source : source.name;
    const start: Place = { file: name, line: 1, column: 1, path: "" };
    const text =
      typeof source === "string" ? readText(resolve(cwd, name), `cannot read ${name}`, start, findings) : source.text;
    if (text === null) continue;
    const tree = readWithIncludes(name, text, [resolve(cwd, name)], cwd, findings);
    merged = merged === null ? tree : mergeTrees(merged, tree, "second");
  }
  return (
    merged ?? { kind: "map", name: "", place: { file: "defaults", line: 1, column: 1, path: "" }, entries: new Map() }
  );
}

function readWithIncludes(
  name: string,
  text: string,
  chain: readonly string[],
  cwd: string,
  findings: Findings,
): SourceMap {
  const start: Place = { file: name, line: 1, column: 1, path: "" };
  let tree = readYaml(name, text, findings) ?? { kind: "map", name: "", place: start, entries: new Map() };
  for (const item of listIncludes(tree, findings)) {
    const displayName = isAbsolute(item.text) ? item.text : join(dirname(name), item.text);
    const path = resolve(cwd, displayName);
    const message = `include: ${item.text}`;
    if (chain.includes(path)) {
      findings.refuse(item.place, message, "that file includes this one; includes cannot be circular");
    } else if (chain.length > MAX_INCLUDE_DEPTH) {
      findings.refuse(item.place, message, `includes can be nested at most ${MAX_INCLUDE_DEPTH} levels deep`);
    } else {
      const included = readText(path, message, item.place, findings);
      if (included === null) continue;
      tree = mergeTrees(tree, readWithIncludes(displayName, included, [...chain, path], cwd, findings), "first");
    }
  }
  return tree;
}

function listIncludes(tree: SourceMap, findings: Findings): readonly { text: string; place: Place }[] {
  const node = tree.entries.get("include")?.value;
  if (node === undefined) return [];
  const items = node.kind === "list" ? node.items : [node];
  return items.flatMap((item) => {
    if (isBlank(item)) return [];
    if (item.kind === "scalar") return [{ text: item.text, place: item.place }];
    findings.refuse(item.place, "include", "expected a list of file names");
    return [];
  });
}

function readText(path: string, message: string, place: Place, findings: Findings): string | null {
  try {
    const bytes = readFileSync(path);
    if (bytes.length <= MAX_FILE_BYTES) return bytes.toString("utf8");
    findings.refuse(place, message, `that file is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    findings.refuse(
      place,
      message,
      code === "ENOENT" ? "that file does not exist" : `that file could not be read (${code})`,
    );
  }
  return null;
}

/** Merges two trees section by section: concatenates lists and merges maps by key. */
function mergeTrees(first: SourceMap, second: SourceMap, winner: "first" | "second"): SourceMap {
  return { ...first, entries: mergeEntries(first.entries, second.entries, (a, b) => joinValues(a, b, winner)) };
}

function joinValues(first: SourceNode, second: SourceNode, winner: "first" | "second"): SourceNode {
  if (first.kind === "list" && second.kind === "list") return { ...first, items: [...first.items, ...second.items] };
  if (first.kind === "map" && second.kind === "map") {
    return { ...first, entries: mergeEntries(first.entries, second.entries, (a, b) => (winner === "first" ? a : b)) };
  }
  if (isBlank(first)) return second;
  if (isBlank(second)) return first;
  return winner === "first" ? first : second;
}

function mergeEntries(
  first: ReadonlyMap<string, SourceEntry>,
  second: ReadonlyMap<string, SourceEntry>,
  join: (first: SourceNode, second: SourceNode) => SourceNode,
): ReadonlyMap<string, SourceEntry> {
  const merged = new Map(first);
  for (const [name, entry] of second) {
    const present = first.get(name);
    merged.set(name, present === undefined ? entry : { ...present, value: join(present.value, entry.value) });
  }
  return merged;
}
