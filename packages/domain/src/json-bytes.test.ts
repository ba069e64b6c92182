import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findTexts, scanJsonBytes } from "./json-bytes.ts";
import { scanJson } from "./json-text.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.constantFrom('"', "\\", "\n", "\u0001", "a\\", '\\"', "os.environ/KEY", "x".repeat(70_000)),
);
const part = fc.oneof(
  fc.record({ type: fc.constant("text"), text }),
  fc.record({ type: fc.constant("image_url"), image_url: fc.record({ url: text }) }),
);
const message = fc.oneof(
  fc.record({ role: fc.constantFrom("user", "system"), content: fc.oneof(text, fc.array(part, { maxLength: 3 })) }),
  fc.record({ content: fc.constantFrom(null, 7, true), name: text }),
  fc.dictionary(fc.constantFrom("content", "text", "naïve", "role"), fc.oneof(text, part), { noNullPrototype: true }),
);
const chat = fc.record(
  {
    model: text,
    messages: fc.array(message, { maxLength: 4 }),
    content: text,
    metadata: fc.record({ content: text, text }),
    temperature: fc.double(),
  },
  { requiredKeys: ["messages"] },
);
/** Chat requests in different formats: compact, indented, or with non-ASCII characters escaped. */
const chatText = fc.tuple(chat, fc.constantFrom(undefined, 1, "\t"), fc.boolean()).map(([value, indent, isAscii]) => {
  const json = JSON.stringify(value, null, indent);
  return isAscii
    ? json.replace(/[\u0080-\uffff]/g, (code) => `\\u${code.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : json;
});

/** Pieces that make a valid body invalid, or change where its strings begin and end. */
const pieces = [
  '"', "\\", '\\"', "\\\\", "\\u", "\\u00", "\\u00e9", "\\ud83d", "\\x", "\\/", "\u0000", "\u001f", "\t", "\n", "\u007f", " ", "{", "}", "[", "]",
  ":", ",", "null", '"content":', '"text":', '"messages":', '"messages":[{"content":"', '"__proto__":1,', '"constructor":1,', '"a":1,"a":2,', "1e400",
  "0x1", "-", ".", "é", "\u00a0", "/*", "'", '"}', '"]',
]; // biome-ignore format: a list of pieces is easier to read in rows.

const changedText = fc
  .tuple(chatText, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.constantFrom(...pieces)), { maxLength: 4 }))
  .map(([json, changes]) => {
    let changed = json;
    for (const [place, removed, piece] of changes) {
      const at = place % (changed.length + 1);
      changed = changed.slice(0, at) + piece + changed.slice(at + removed);
    }
    return changed;
  });

describe("scanJsonBytes", () => {
  test("accepts, refuses, and locates exactly what the text scanner and the parser do, for any bytes", () => {
    fc.assert(
      fc.property(fc.oneof(chatText, changedText), fc.constantFrom("messages", "content", null), (json, textsIn) => {
        const bytes = Buffer.from(json, "utf8");
        const whole = bytes.toString("latin1");
        const expected = scanJson(whole);
        const scan = scanJsonBytes(bytes, textsIn);
        expect(scan.kind).toBe(expected.kind);
        if (scan.kind === "refused" || expected.kind === "refused") {
          expect(scan).toEqual(expected);
          return;
        }
        const parsed = tryParsing(whole);
        expect(tryParsing(scan.text)).toEqual(parsed === INVALID ? INVALID : withoutTexts(parsed, textsIn));
        if (parsed === INVALID) return;
        expect(scan.hasEscapedKey).toBe(expected.hasEscapedKey);
        expect(
          scan.members.map(({ name, keyStart, valueStart, valueEnd }) => [name, keyStart, valueStart, valueEnd]),
        ).toEqual(
          expected.members.map(({ name, keyStart, valueStart, valueEnd }) => [name, keyStart, valueStart, valueEnd]),
        );
      }),
      { numRuns: 3_000 },
    );
  });

  test("parses no text of a message, however long", () => {
    const content = "naïve \\u00e9\\n".repeat(20_000);
    const bytes = Buffer.from(`{"messages":[{"role":"user","content":"${content}"}],"n":1}`);
    expect(scanJsonBytes(bytes, "messages")).toMatchObject({
      text: '{"messages":[{"role":"user","content":""}],"n":1}',
    });
  });

  test.for([
    '{"messages":[{"content":"a\u0001b"}]}',
    '{"messages":[{"content":"a\nb"}]}',
    '{"messages":[{"content":"\\x"}]}',
    '{"messages":[{"content":"\\u12g4"}]}',
    '{"messages":[{"content":"\\u12"}]}',
    '{"messages":[{"content":"open}]}',
    '{"messages":[{"content":"open\\"}]}',
    '{"messages":[{"content":"a" "b"}]}',
    '{"messages":[{"content":null "b"}]}',
    '{"messages":[{"content":null,}]}',
    '\\"messages":[{"content":"a"}]}',
  ])("leaves what is invalid for the parser: %j", (json) => {
    const scan = scanJsonBytes(Buffer.from(json), "messages");
    expect(scan.kind === "scanned" && tryParsing(scan.text)).toBe(INVALID);
  });
});

describe("findTexts", () => {
  const textsOf = (value: unknown, maxElements = 9, maxTexts = 9) => {
    const bytes = Buffer.from(` ${JSON.stringify(value)}`);
    const found = findTexts(bytes, { valueStart: 0, valueEnd: bytes.length }, maxElements, maxTexts);
    return found.flatMap((start, index) =>
      index % 2 === 0 ? [JSON.parse(`"${bytes.toString("utf8", start, found[index + 1])}"`) as unknown] : [],
    );
  };
  const turns = [
    { role: "system", content: 'é "a", [b]' },
    {
      content: [
        { type: "text", text: "c" },
        { type: "image_url", image_url: { url: "text" } },
      ],
      name: "content",
    },
    { content: null, text: "d" },
  ];

  test("returns a string", () => {
    expect(textsOf("a \\ b")).toEqual(["a \\ b"]);
    expect(textsOf("")).toEqual([""]);
    expect(textsOf(null)).toEqual([]);
  });

  test("returns the texts of an array, up to a number of elements and texts", () => {
    expect(textsOf(turns)).toEqual(['é "a", [b]', "c", "d"]);
    expect(textsOf(turns, 2)).toEqual(['é "a", [b]', "c"]);
    expect(textsOf(turns, 1)).toEqual(['é "a", [b]']);
    expect(textsOf(turns, 9, 1)).toEqual(['é "a", [b]']);
    expect(textsOf([])).toEqual([]);
  });
});

const INVALID = Symbol("invalid");

function tryParsing(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return INVALID;
  }
}

/** Empties the texts inside one member of a parsed request. */
function withoutTexts(request: unknown, textsIn: string | null): unknown {
  if (typeof request !== "object" || request === null || Array.isArray(request)) return request;
  return Object.fromEntries(
    Object.entries(request).map(([name, value]) => [name, name === textsIn ? emptied(value) : value]),
  );
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(emptied);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isText = typeof member === "string" && (name === "content" || name === "text");
      return [name, isText ? "" : emptied(member)];
    }),
  );
}
