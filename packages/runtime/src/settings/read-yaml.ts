import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
} from "yaml";
import type { Findings } from "./findings.ts";
import { isBlank, type Place, type SourceEntry, type SourceMap, type SourceNode } from "./source-tree.ts";

const MAX_DEPTH = 32;
/** Maximum number of expanded nodes, because aliases can expand a small file into a huge one. */
const MAX_NODES = 100_000;
const MERGE_KEY = "<<";

/** Parses a file with source locations, or returns null if it is invalid. Anchors and merge keys are resolved. */
export function readYaml(file: string, text: string, findings: Findings): SourceMap | null {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, stringKeys: true, prettyErrors: false });
  const placeAt = (offset: number, path: string): Place => {
    const { line, col } = lineCounter.linePos(offset);
    return { file, line, column: col, path };
  };
  for (const error of [...document.errors, ...document.warnings]) {
    findings.refuse(placeAt(error.pos[0], ""), explainYamlError(error.message));
  }
  if (document.errors.length > 0) return null;

  const start = placeAt(0, "");
  try {
    const root = new TreeBuilder(document, placeAt).build(document.contents, { name: "", path: "", place: start }, 0);
    if (root.kind === "map") return root;
    if (!isBlank(root)) {
      findings.refuse(root.place, "the file is not a mapping", "expected sections such as model_list:");
    }
    return { kind: "map", name: "", place: start, entries: new Map() };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    const limits = `at most ${MAX_NODES} values, ${MAX_DEPTH} deep`;
    findings.refuse(start, "the file is too large or nested too deeply", limits);
    return null;
  }
}

class TooLarge extends Error {}

/** Position of a node: its name, its path, and a fallback location. */
interface Position {
  readonly name: string;
  readonly path: string;
  readonly place: Place;
}

class TreeBuilder {
  readonly #document: Document;
  readonly #placeAt: (offset: number, path: string) => Place;
  /**
   * Cache resolved aliases, because resolving an alias walks the whole document, and nested aliases occur many times.
   */
  readonly #resolved = new Map<Alias, Node | null>();
  #nodes = 0;

  constructor(document: Document, placeAt: (offset: number, path: string) => Place) {
    this.#document = document;
    this.#placeAt = placeAt;
  }

  build(node: Node | null, { name, path, place: outerPlace }: Position, depth: number): SourceNode {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES || depth > MAX_DEPTH) throw new TooLarge();
    const place = node?.range ? this.#placeAt(node.range[0], path) : outerPlace;
    if (isAlias(node)) return { ...this.build(this.#resolve(node), { name, path, place }, depth + 1), place };
    if (isMap<Node, Node | null>(node)) return this.#buildMap(node.items, { name, path, place }, depth);
    if (isSeq<Node>(node)) {
      const items = node.items.map((item, index) =>
        this.build(item, { name: `${name}[${index}]`, path: `${path}[${index}]`, place }, depth + 1),
      );
      return { kind: "list", name, place, items };
    }
    const written = isScalar(node) ? node.value : null;
    const isPlain = typeof written === "number" || typeof written === "boolean" || written === null;
    const value = isPlain ? written : String(written);
    const text = (isPlain && isScalar(node) ? node.source : undefined) ?? String(value ?? "");
    return { kind: "scalar", name, place, value, text, variable: null };
  }

  #buildMap(pairs: readonly Pair<Node, Node | null>[], { name, path, place }: Position, depth: number): SourceMap {
    const entries = new Map<string, SourceEntry>();
    const inherited = new Map<string, SourceEntry>();
    for (const { key, value } of pairs) {
      const keyText = isScalar(key) ? String(key.value) : "";
      const childName = keyText === "" ? '""' : keyText;
      const childPath = path === "" ? childName : `${path}.${childName}`;
      const keyPlace = this.#placeAt(key.range?.[0] ?? 0, childPath);
      if (keyText === MERGE_KEY) {
        collectMerged(this.build(value, { name, path, place: keyPlace }, depth + 1), inherited);
      } else {
        const child = this.build(value, { name: childName, path: childPath, place: keyPlace }, depth + 1);
        entries.set(keyText, { keyPlace, value: child });
      }
    }
    for (const [key, entry] of inherited) if (!entries.has(key)) entries.set(key, entry);
    return { kind: "map", name, place, entries };
  }

  #resolve(alias: Alias): Node | null {
    if (!this.#resolved.has(alias)) this.#resolved.set(alias, alias.resolve(this.#document) ?? null);
    return this.#resolved.get(alias) ?? null;
  }
}

function collectMerged(source: SourceNode, into: Map<string, SourceEntry>): void {
  if (source.kind === "list") for (const item of source.items) collectMerged(item, into);
  if (source.kind !== "map") return;
  for (const [name, entry] of source.entries) if (!into.has(name)) into.set(name, entry);
}

function explainYamlError(message: string): string {
  const sentence = message.split("\n")[0] ?? message;
  return `not valid YAML: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}
