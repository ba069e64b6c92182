import type { Row } from "../handlers.ts";
import { parseRow } from "./parse-row.ts";

/**
 * Yields the objects of one JSON array, each parsed when its closing brace arrives. This code tracks only nesting and
 * strings. JSON.parse validates each object.
 */
export async function* parseJsonRows(text: AsyncIterable<string>): AsyncGenerator<Row> {
  const splitter = new RowSplitter();
  for await (const piece of text) yield* splitter.push(piece);
  splitter.end();
}

type Place = "before" | "first row" | "row" | "after row" | "next row" | "after";

class RowSplitter {
  #place: Place = "before";
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #row = "";
  #count = 0;

  *push(piece: string): Generator<Row> {
    let start = 0;
    for (let index = 0; index < piece.length; index += 1) {
      const character = piece[index] as string;
      if (this.#place === "row") {
        if (!this.#endsRow(character)) continue;
        this.#count += 1;
        yield parseRow(this.#row + piece.slice(start, index + 1), `row ${this.#count}`);
        this.#row = "";
        this.#place = "after row";
      } else if (!/[ \t\r\n]/.test(character)) {
        this.#step(character);
        start = index;
      }
    }
    if (this.#place === "row") this.#row += piece.slice(start);
  }

  end(): void {
    if (this.#place !== "after") throw new Error("the file is not a complete JSON array of objects");
  }

  #step(character: string): void {
    const isRowPlace = this.#place === "first row" || this.#place === "next row";
    if (this.#place === "before" && character === "[") this.#place = "first row";
    else if (isRowPlace && character === "{") this.#openRow();
    else if (this.#place === "after row" && character === ",") this.#place = "next row";
    else if ((this.#place === "after row" || this.#place === "first row") && character === "]") this.#place = "after";
    else throw new Error("the file is not a JSON array of objects");
  }

  #openRow(): void {
    this.#place = "row";
    this.#depth = 1;
  }

  /** Reports whether this character ends the row. */
  #endsRow(character: string): boolean {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInString && character === "\\") this.#isEscaped = true;
    else if (character === '"') this.#isInString = !this.#isInString;
    else if (!this.#isInString && (character === "{" || character === "[")) this.#depth += 1;
    else if (!this.#isInString && (character === "}" || character === "]")) this.#depth -= 1;
    return this.#depth === 0;
  }
}
