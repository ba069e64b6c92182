import type { JsonValue, Row } from "../handlers.ts";

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const INTEGER = /^-?\d+$/;

/**
 * Yields one row per record, with field names from the first record. Numbers are parsed; everything else stays text.
 */
export async function* parseCsvRows(text: AsyncIterable<string>): AsyncGenerator<Row> {
  let header: string[] | undefined;
  let number = 0;
  for await (const record of parseRecords(text)) {
    number += 1;
    if (header === undefined) {
      header = record;
      continue;
    }
    if (record.length !== header.length) {
      throw new Error(`record ${number} has ${record.length} fields, the header has ${header.length}`);
    }
    yield Object.fromEntries(header.map((name, index) => [name, toValue(record[index] as string)]));
  }
}

async function* parseRecords(text: AsyncIterable<string>): AsyncGenerator<string[]> {
  const splitter = new RecordSplitter();
  for await (const piece of text) yield* splitter.push(piece);
  yield* splitter.end();
}

/** Splits text into RFC 4180 records: fields with commas, quotes, or line breaks are quoted. */
class RecordSplitter {
  #record: string[] = [];
  #field = "";
  #state: "plain" | "quoted" | "quote in quoted" = "plain";

  *push(piece: string): Generator<string[]> {
    for (const character of piece) {
      if (this.#state === "quoted") this.#addQuoted(character);
      else if (character === '"') this.#addQuote();
      else if (character === ",") this.#endField();
      else if (character === "\n") yield* this.#endRecord();
      else this.#field += character;
    }
  }

  *end(): Generator<string[]> {
    if (this.#state === "quoted") throw new Error("the file ends inside a quoted field");
    yield* this.#endRecord();
  }

  #addQuoted(character: string): void {
    if (character === '"') this.#state = "quote in quoted";
    else this.#field += character;
  }

  /** Handles a quote: it opens a field, is half of an escaped pair, or is a literal character in an unquoted field. */
  #addQuote(): void {
    if (this.#state === "quote in quoted") this.#field += '"';
    if (this.#state === "quote in quoted" || this.#field === "") this.#state = "quoted";
    else this.#field += '"';
  }

  #endField(): void {
    this.#record.push(this.#field);
    this.#field = "";
    this.#state = "plain";
  }

  /** Ends a record. Empty lines are skipped. */
  *#endRecord(): Generator<string[]> {
    const isQuoted = this.#state === "quote in quoted";
    if (this.#field.endsWith("\r")) this.#field = this.#field.slice(0, -1);
    this.#endField();
    const record = this.#record;
    this.#record = [];
    if (isQuoted || record.length > 1 || record[0] !== "") yield record;
  }
}

/**
 * Integers that a double cannot represent, and numbers that would overflow, stay text so that their values never change
 * silently.
 */
function toValue(text: string): JsonValue {
  if (!JSON_NUMBER.test(text)) return text;
  const value = Number(text);
  return Number.isFinite(value) && (!INTEGER.test(text) || Number.isSafeInteger(value)) ? value : text;
}
