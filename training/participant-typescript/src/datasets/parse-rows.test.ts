import fc from "fast-check";
import { expect, test } from "vitest";
import type { Row } from "../handlers.ts";
import { parseCsvRows } from "./parse-csv-rows.ts";
import { parseJsonLines } from "./parse-json-lines.ts";
import { parseJsonRows } from "./parse-json-rows.ts";

/** Yields the text in pieces of the given lengths, then the remainder. */
async function* cut(text: string, lengths: readonly number[]): AsyncGenerator<string> {
  let at = 0;
  for (const length of lengths) {
    yield text.slice(at, at + length);
    at += length;
  }
  yield text.slice(at);
}

type Parser = (text: AsyncIterable<string>) => AsyncIterable<Row>;
const parse = (parser: Parser, text: string, lengths: readonly number[] = []): Promise<Row[]> =>
  Array.fromAsync(parser(cut(text, lengths)));

const rows = fc.array(fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<Row[string]>));
const lengths = fc.array(fc.nat(12));

test("JSON rows are the same for any split of the file", async () => {
  await fc.assert(
    fc.asyncProperty(rows, lengths, fc.constantFrom(0, 1), async (given, pieces, indent) => {
      const expected = JSON.parse(JSON.stringify(given)) as Row[];
      expect(await parse(parseJsonRows, JSON.stringify(given, null, indent), pieces)).toEqual(expected);
      const lines = given.map((row) => `${JSON.stringify(row)}\r\n`).join("");
      expect(await parse(parseJsonLines, lines, pieces)).toEqual(expected);
    }),
  );
});

test("CSV fields are the same for any quoting and any split of the file", async () => {
  const field = fc.string({ unit: fc.constantFrom("a", "ü", ",", '"', "\n", " ") });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(field, field)), lengths, async (records, pieces) => {
      const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
      const text = ["p,q", ...records.map((record) => record.map(quote).join(","))].join("\r\n");
      expect(await parse(parseCsvRows, text, pieces)).toEqual(records.map(([p, q]) => ({ p, q })));
    }),
  );
});

test("CSV fields become numbers if no digits are lost", async () => {
  const text = "v\n1\n-0.5\n1e3\n007\n9007199254740993\n1e999\n\n 1\nNaN\n+1\n";
  const values = (await parse(parseCsvRows, text)).map(({ v }) => v);
  expect(values).toEqual([1, -0.5, 1000, "007", "9007199254740993", "1e999", " 1", "NaN", "+1"]);
});

test.each([
  [parseCsvRows, "a,b\n1,2,3\n", "record 2 has 3 fields, the header has 2"],
  [parseCsvRows, 'a\n"open', "the file ends inside a quoted field"],
  [parseJsonRows, "[1]", "the file is not a JSON array of objects"],
  [parseJsonRows, '{"x":1}', "the file is not a JSON array of objects"],
  [parseJsonRows, '[{"x":1},]', "the file is not a JSON array of objects"],
  [parseJsonRows, '[{"x":1} {"x":2}]', "the file is not a JSON array of objects"],
  [parseJsonRows, '[{"x":1}', "the file is not a complete JSON array of objects"],
  [parseJsonRows, '[{"x":}]', "row 1 is not valid JSON"],
  [parseJsonRows, '[{"x":1}]]', "the file is not a JSON array of objects"],
  [parseJsonLines, '{"x":1}\n5', "line 2 is not an object"],
])("%o reports the problem in %j", async (parser, text, message) => {
  await expect(parse(parser, text)).rejects.toThrow(message);
});
