import { createReadStream } from "node:fs";
import { basename, extname } from "node:path";
import type { Row } from "../handlers.ts";
import { parseCsvRows } from "./parse-csv-rows.ts";
import { parseJsonLines } from "./parse-json-lines.ts";
import { parseJsonRows } from "./parse-json-rows.ts";

const PARSERS: Record<string, (text: AsyncIterable<string>) => AsyncIterable<Row>> = {
  ".json": parseJsonRows,
  ".jsonl": parseJsonLines,
  ".csv": parseCsvRows,
};

/** A row file could not be read. The message is for the participant's operator and is not shown to callers. */
export class DatasetError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "DatasetError";
  }
}

/** Reports whether rows can be read from a file with this name. */
export function isRowFile(path: string): boolean {
  return extname(path).toLowerCase() in PARSERS;
}

/** Yields the rows of a `.json` array, a `.jsonl` file, or a `.csv` file, one at a time. */
export async function* readRowFile(path: string): AsyncGenerator<Row> {
  const parse = PARSERS[extname(path).toLowerCase()];
  if (parse === undefined)
    throw new DatasetError(`${basename(path)}: a dataset file must end in .json, .jsonl, or .csv`);
  try {
    yield* parse(readText(path));
  } catch (error) {
    throw new DatasetError(`${path}: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

/** Yields the file as text, without a byte order mark. */
async function* readText(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const piece of createReadStream(path)) yield decoder.decode(piece as Uint8Array, { stream: true });
  yield decoder.decode();
}
