import { Secret } from "@tollgate/domain/secret.ts";
import type { Static, TSchema } from "typebox";
import { type Environment, followReference, resolveReference } from "./environment.ts";
import type { Findings } from "./findings.ts";
import { findNearMiss } from "./near-misses.ts";
import { describeExpected, INVALID, readScalar, showSetting } from "./read-scalar.ts";
import { findNewName } from "./renamed-settings.ts";
import type { FieldSchema } from "./schema/fields.ts";
import { isSecretName } from "./show-without-secrets.ts";
import {
  isBlank,
  type Place,
  type SourceEntry,
  type SourceMap,
  type SourceNode,
  type SourceScalar,
  toPlain,
} from "./source-tree.ts";
import { shownWithValue } from "./without-effect.ts";

/**
 * Reads a tree according to its schema: types, bounds, defaults, aliases, and unknown names. The reader continues after
 * a problem, so that all problems are found: an unusable value is replaced by its default, and an incomplete list entry
 * is dropped.
 */
export class SettingsReader {
  readonly findings: Findings;
  readonly #environment: Environment;
  readonly #sources = new WeakMap<object, SourceMap>();

  constructor(environment: Environment, findings: Findings) {
    this.#environment = environment;
    this.findings = findings;
  }

  /** Returns the value defined by the schema, or null if the node is invalid. */
  read<Schema extends TSchema>(schema: Schema, node: SourceNode): Static<Schema> | null {
    const value = this.#read(schema as FieldSchema, node);
    return value === INVALID ? null : (value as Static<Schema>);
  }

  /** Returns the source of an object that was read, for later checks. */
  sourceOf(value: object): SourceMap {
    const source = this.#sources.get(value);
    if (source === undefined) throw new Error("the object was not read from a settings file");
    return source;
  }

  /** Reads an open mapping with references resolved and secret-looking names wrapped. */
  readOpen(node: SourceMap): Readonly<Record<string, unknown>> {
    const fields = [...node.entries].map(([name, { value }]) => {
      const plain = this.#readPlain(value);
      return [name, isSecretName(name) && typeof plain === "string" ? new Secret(plain) : plain] as const;
    });
    return Object.fromEntries(fields);
  }

  /** Resolves a reference, or returns the scalar as written if the variable isn't set. */
  follow(node: SourceScalar): SourceScalar {
    return followReference(node, this.#environment) ?? node;
  }

  #readPlain(node: SourceNode): unknown {
    if (node.kind === "list") return node.items.map((item) => this.#readPlain(item));
    if (node.kind === "map") return this.readOpen(node);
    return resolveReference(node, this.#environment, this.findings)?.value ?? null;
  }

  #read(schema: FieldSchema, written: SourceNode): unknown {
    if (isBlank(written)) return this.#absent(schema, written.place);
    if (schema["x-raw"]) return written;
    const node = written.kind === "scalar" ? resolveReference(written, this.#environment, this.findings) : written;
    if (node === null) return INVALID;
    const variant = schema.anyOf ? pickVariant(schema.anyOf, node) : schema;
    if (variant === null) return this.#refuseKind(schema, node);
    if (variant.type === "object") {
      return node.kind === "map" ? this.#readMap(variant, node) : this.#refuseKind(schema, node);
    }
    if (variant.type === "array") {
      return node.kind === "list" ? this.#readList(variant.items ?? {}, node.items) : this.#refuseKind(schema, node);
    }
    return node.kind === "scalar" ? readScalar(variant, node, this.findings) : this.#refuseKind(schema, node);
  }

  #readList(schema: FieldSchema, items: readonly SourceNode[]): unknown {
    return items.map((item) => this.#read(schema, item)).filter((item) => item !== INVALID);
  }

  #readMap(schema: FieldSchema, node: SourceMap): unknown {
    if (schema.properties === undefined) return this.#readRecord(schema.additionalProperties ?? {}, node);
    const known = this.#claimEntries(schema, schema.properties, node);
    const fields: [string, unknown][] = [];
    let isComplete = true;
    for (const [name, property] of Object.entries(schema.properties)) {
      const entry = known.get(name);
      const isWritten = entry !== undefined && !isBlank(entry.value);
      const value = isWritten ? this.#read(property, entry.value) : INVALID;
      const usable = value === INVALID ? this.#absent(property, node.place) : value;
      if (usable === INVALID && !isWritten) {
        const owner = node.place.path === "" ? "" : ` in ${node.name}`;
        this.findings.refuse(node.place, `${name} is missing${owner}`, property.description);
      }
      if (usable === INVALID) isComplete = false;
      fields.push([name, usable]);
    }
    if (!isComplete) return INVALID;
    const value = Object.fromEntries(fields);
    this.#sources.set(value, node);
    return value;
  }

  #readRecord(schema: FieldSchema, node: SourceMap): unknown {
    const fields = [...node.entries].map(([name, { value }]) => [name, this.#read(schema, value)] as const);
    return Object.fromEntries(fields.filter(([, value]) => value !== INVALID));
  }

  /** Sorts the names in the file into known names, aliases, names without effect, and unknown names. */
  #claimEntries(
    schema: FieldSchema,
    properties: Readonly<Record<string, FieldSchema>>,
    node: SourceMap,
  ): ReadonlyMap<string, SourceEntry> {
    const claimed = new Map<string, SourceEntry>();
    for (const [name, entry] of node.entries) if (Object.hasOwn(properties, name)) claimed.set(name, entry);
    for (const [name, entry] of node.entries) {
      const meant = ownEntry(schema["x-aliases"], name);
      const reason = ownEntry(schema["x-without-effect"], name);
      if (claimed.has(name)) continue;
      if (meant !== undefined) this.#claimAlias(meant, entry, claimed);
      else if (reason !== undefined) this.#warnWithoutEffect(name, entry, reason);
      else this.#reportUnknown(name, entry, Object.keys(properties), node.place.path === "");
    }
    return claimed;
  }

  /**
   * Handles a setting that is set under an alias and possibly also under its canonical name. The canonical name takes
   * precedence, but sections are merged to allow a gradual migration.
   */
  #claimAlias(meant: string, entry: SourceEntry, claimed: Map<string, SourceEntry>): void {
    const proper = claimed.get(meant);
    if (proper === undefined) {
      claimed.set(meant, entry);
    } else if (proper.value.kind === "map" && entry.value.kind === "map") {
      for (const [name, { keyPlace }] of entry.value.entries) {
        if (proper.value.entries.has(name)) this.#warnShadowed(keyPlace, `${meant}.${name}`);
      }
      const entries = new Map([...entry.value.entries, ...proper.value.entries]);
      claimed.set(meant, { ...proper, value: { ...proper.value, entries } });
    } else {
      this.#warnShadowed(entry.keyPlace, meant);
    }
  }

  #warnShadowed(place: Place, winner: string): void {
    this.findings.warn("without-effect", place, place.path, `${winner} is also set and takes precedence`);
  }

  #warnWithoutEffect(name: string, { keyPlace, value }: SourceEntry, reason: string): void {
    const shown = shownWithValue.has(name) ? `: ${JSON.stringify(toPlain(value))}` : "";
    this.findings.warn("without-effect", keyPlace, `${keyPlace.path}${shown}`, reason);
  }

  #reportUnknown(name: string, { keyPlace, value }: SourceEntry, known: readonly string[], isTopLevel: boolean): void {
    const meant = findNearMiss(name, known);
    const message = `unknown setting "${name}"`;
    const newName = findNewName(keyPlace.path);
    if (newName !== null) this.findings.refuse(keyPlace, message, `it was renamed to ${newName}`);
    else if (meant !== null) this.findings.refuse(keyPlace, message, `did you mean "${meant}"?`);
    else if (isTopLevel) this.findings.refuse(keyPlace, message, `known sections: ${known.join(", ")}`);
    else {
      this.findings.warn("unknown", keyPlace, message, "it has no effect");
      this.#readPlain(value);
    }
  }

  #absent(schema: FieldSchema, place: Place): unknown {
    if (schema.default === undefined) return INVALID;
    const isSection = schema.type === "object" && schema.properties !== undefined && schema.default !== null;
    return isSection ? this.#readMap(schema, { kind: "map", name: "", place, entries: new Map() }) : schema.default;
  }

  #refuseKind(schema: FieldSchema, node: SourceNode): typeof INVALID {
    const message = node.kind === "scalar" ? showSetting(schema, node) : node.name;
    this.findings.refuse(node.place, message, `expected ${describeExpected(schema)}`);
    return INVALID;
  }
}

function pickVariant(variants: readonly FieldSchema[], node: SourceNode): FieldSchema | null {
  const types = { map: ["object"], list: ["array"], scalar: ["string", "integer", "number", "boolean"] }[node.kind];
  return variants.find(({ type }) => type !== undefined && types.includes(type)) ?? null;
}

function ownEntry(record: Readonly<Record<string, string>> | undefined, name: string): string | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
