import type { JsonObject, JsonValue, Row } from "../handlers.ts";
import { BadRequest, ParticipantFailure } from "../participant-failure.ts";
import {
  collectRows,
  countRows,
  type DatasetSource,
  type DatasetView,
  type RowSource,
  readRows,
} from "./dataset-source.ts";
import { isRow } from "./parse-row.ts";
import { isRowFile } from "./read-row-file.ts";

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** Datasets that a participant can train on. Callers select them by name and never pass a path or URL. */
export class DatasetRegistry {
  readonly #local: DatasetSource;
  readonly #named: ReadonlyMap<string, DatasetSource>;

  /** Throws on invalid names and files, so that mistakes are found at startup. */
  constructor(local: DatasetSource | undefined, named: Readonly<Record<string, DatasetSource>>) {
    this.#local = local ?? [];
    this.#named = new Map(Object.entries(named));
    checkSource("dataset", this.#local);
    for (const [name, source] of this.#named) {
      if (!NAME.test(name))
        throw new TypeError(`datasets: "${name}" is not a valid name (1 to 64 letters, digits, ".", "_", or "-")`);
      checkSource(`datasets.${name}`, source);
    }
  }

  /** Describes datasets for `/status`: names, and sizes if known without reading. */
  describe(): JsonObject[] {
    return [...this.#named].map(([name, source]) => {
      const rows = countRows(source);
      return { name, ...(rows !== undefined && { rows }) };
    });
  }

  /** Resolves the `dataset` field of a request. Throws unless it is rows, null, or a known name. */
  open(dataset: JsonValue | undefined): DatasetView {
    if (dataset === undefined || dataset === null) return openSource(this.#local, {});
    if (Array.isArray(dataset)) return inlineRows(dataset);
    if (!isRow(dataset) || !("ref" in dataset)) {
      throw new BadRequest('dataset must be an array of objects, null, or {"ref": "<name>"}');
    }
    return this.#openNamed(dataset);
  }

  #openNamed({ ref, split = null, limit = null }: JsonObject): DatasetView {
    if (typeof ref !== "string" || !NAME.test(ref)) {
      throw new BadRequest('dataset.ref must be a name of 1 to 64 letters, digits, ".", "_", or "-"');
    }
    if (split !== null && typeof split !== "string") throw new BadRequest("dataset.split must be a string");
    if (limit !== null && !(Number.isSafeInteger(limit) && (limit as number) >= 1)) {
      throw new BadRequest("dataset.limit must be an integer of at least 1");
    }
    const source = this.#named.get(ref);
    if (source === undefined) throw new ParticipantFailure("NOT_FOUND", `unknown dataset "${ref}"`);
    return openSource(source, { name: ref, split: split ?? undefined, limit: (limit as number | null) ?? undefined });
  }
}

interface Selection {
  readonly name?: string;
  readonly split?: string;
  readonly limit?: number;
}

function openSource(source: DatasetSource, { name = "the local dataset", split, limit }: Selection): DatasetView {
  const isLazy = isWrapped(source) && source.lazy === true;
  const rows = selectSplit(source, name, split);
  return { isLazy, rows: () => readRows(rows, limit), collect: () => collectRows(rows, limit) };
}

function selectSplit(source: DatasetSource, name: string, split: string | undefined): RowSource {
  const splits = isWrapped(source) && "splits" in source ? source.splits : undefined;
  if (split === undefined) {
    if (splits === undefined) return isWrapped(source) && "rows" in source ? source.rows : (source as RowSource);
    throw new BadRequest(`dataset "${name}" has splits; choose one of ${Object.keys(splits).join(", ")}`);
  }
  const chosen = splits !== undefined && Object.hasOwn(splits, split) ? splits[split] : undefined;
  if (chosen === undefined)
    throw new ParticipantFailure("NOT_FOUND", `dataset "${name}" has no split "${split.slice(0, 64)}"`);
  return chosen;
}

function inlineRows(dataset: JsonValue[]): DatasetView {
  const wrong = dataset.findIndex((row) => !isRow(row));
  if (wrong >= 0) throw new BadRequest(`dataset[${wrong}] must be an object`);
  const rows = dataset as Row[];
  return { isLazy: false, rows: () => readRows(rows), collect: () => collectRows(rows) };
}

function checkSource(place: string, source: DatasetSource): void {
  const parts = !isWrapped(source) ? [source] : "rows" in source ? [source.rows] : Object.values(source.splits);
  for (const part of parts) {
    if (typeof part === "string" && !isRowFile(part))
      throw new TypeError(`${place}: "${part}" must end in .json, .jsonl, or .csv`);
    if (typeof part !== "string" && typeof part !== "function" && !Array.isArray(part)) {
      throw new TypeError(`${place} must be rows, a file, or a function that returns rows`);
    }
  }
}

function isWrapped(source: DatasetSource): source is Exclude<DatasetSource, RowSource> {
  return typeof source === "object" && source !== null && !Array.isArray(source);
}
