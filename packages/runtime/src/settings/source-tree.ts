/** Location of a setting in its file. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The setting's own path, such as `model_list[0].litellm_params.api_key`. */
  readonly path: string;
}

/** A parsed file with the location of every value, so that problems can be reported with their location. */
export type SourceNode = SourceMap | SourceList | SourceScalar;

export interface SourceMap {
  readonly kind: "map";
  /** Local name of the node: its key, or `key[2]` in a list. */
  readonly name: string;
  readonly place: Place;
  readonly entries: ReadonlyMap<string, SourceEntry>;
}

export interface SourceEntry {
  readonly keyPlace: Place;
  readonly value: SourceNode;
}

interface SourceList {
  readonly kind: "list";
  readonly name: string;
  readonly place: Place;
  readonly items: readonly SourceNode[];
}

export interface SourceScalar {
  readonly kind: "scalar";
  readonly name: string;
  readonly place: Place;
  /** The text as written, so that `007` stays text and prices never pass through a float. */
  readonly text: string;
  readonly value: string | number | boolean | null;
  /** The environment variable that supplied the text; null if it comes from the file. */
  readonly variable: string | null;
}

/** Returns the node at this path, or null if the path doesn't exist. */
export function descend(node: SourceNode, ...steps: readonly (string | number)[]): SourceNode | null {
  let current: SourceNode | undefined = node;
  for (const step of steps) {
    if (current?.kind === "map" && typeof step === "string") current = current.entries.get(step)?.value;
    else if (current?.kind === "list" && typeof step === "number") current = current.items[step];
    else return null;
  }
  return current ?? null;
}

/** Reports whether the value is empty: `name:` and `name: null` mean the default. */
export function isBlank(node: SourceNode): boolean {
  return node.kind === "scalar" && node.value === null;
}

/** Converts the node to plain values, with references as written. */
export function toPlain(node: SourceNode): unknown {
  if (node.kind === "list") return node.items.map(toPlain);
  if (node.kind === "scalar") return node.value;
  return Object.fromEntries([...node.entries].map(([name, { value }]) => [name, toPlain(value)]));
}
