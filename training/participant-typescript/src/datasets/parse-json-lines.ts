import type { Row } from "../handlers.ts";
import { parseRow } from "./parse-row.ts";

/** Yields one row per line. Empty lines are skipped. */
export async function* parseJsonLines(text: AsyncIterable<string>): AsyncGenerator<Row> {
  let rest = "";
  let number = 0;
  for await (const piece of text) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() as string;
    for (const line of lines) {
      number += 1;
      if (line.trim() !== "") yield parseRow(line, `line ${number}`);
    }
  }
  if (rest.trim() !== "") yield parseRow(rest, `line ${number + 1}`);
}
