/** Where something is written: what a person needs to find it again. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The setting's own path, such as `model_list[0].litellm_params.api_key`. */
  readonly path: string;
}

/** A file's content with every value's place kept, because a problem without its place is half a message. */
export type SourceNode = SourceMap | SourceList | SourceScalar;

export interface SourceMap {
  readonly kind: "map";
  /** How it is called where it stands: its key, or `key[2]` in a list. */
  readonly name: string;
  readonly place: Place;
  readonly entries: ReadonlyMap<string, SourceEntry>;
}

export interface SourceEntry {
  readonly keyPlace: Place;
  readonly value: SourceNode;
}

export interface SourceList {
  readonly kind: "list";
  readonly name: string;
  readonly place: Place;
  readonly items: readonly SourceNode[];
}

export interface SourceScalar {
  readonly kind: "scalar";
  readonly name: string;
  readonly place: Place;
  /** The text as written, so that `007` stays text and a price never passes through a float. */
  readonly text: string;
  readonly value: string | number | boolean | null;
  /** The environment variable the text was taken from; null when it stands in the file. */
  readonly variable: string | null;
}

/** The node under these names or indexes, or null where the path ends early. */
export function descend(node: SourceNode, ...steps: readonly (string | number)[]): SourceNode | null {
  let current: SourceNode | undefined = node;
  for (const step of steps) {
    if (current?.kind === "map" && typeof step === "string") current = current.entries.get(step)?.value;
    else if (current?.kind === "list" && typeof step === "number") current = current.items[step];
    else return null;
  }
  return current ?? null;
}

/** Whether nothing is written here: `name:` and `name: null` leave a setting as it is without them. */
export function isBlank(node: SourceNode): boolean {
  return node.kind === "scalar" && node.value === null;
}

/** The node as plain values, references left as they are written. */
export function toPlain(node: SourceNode): unknown {
  if (node.kind === "list") return node.items.map(toPlain);
  if (node.kind === "scalar") return node.value;
  return Object.fromEntries([...node.entries].map(([name, { value }]) => [name, toPlain(value)]));
}
