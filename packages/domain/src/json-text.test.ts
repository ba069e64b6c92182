import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endOfObject, findTopLevelString, scanJson, type TopLevelMember } from "./json-text.ts";

const refusedNames = new Set(["__proto__", "constructor", "prototype"]);
const memberName = fc.string({ unit: "grapheme" }).filter((name) => !refusedNames.has(name));
const jsonObject = fc.dictionary(memberName, fc.jsonValue({ maxDepth: 4 }), { noNullPrototype: true, maxKeys: 40 });
/** The same object in different formats: compact, indented, or with non-ASCII characters escaped. */
const jsonText = fc
  .tuple(jsonObject, fc.constantFrom(undefined, 1, "\t", "  "), fc.boolean())
  .map(([value, indent, isAscii]) => {
    const text = JSON.stringify(value, null, indent);
    return isAscii ? escapeNonAscii(text) : text;
  })
  .filter((text) => ![...refusedNames].some((name) => text.includes(name)));

describe("scanJson", () => {
  test("returns every top-level field of any object and the position of its value", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const parsed = JSON.parse(text) as Record<string, unknown>;
        const members = membersOf(text);
        expect(members.map(({ name }) => name).sort()).toEqual(Object.keys(parsed).sort());
        for (const { name, keyStart, valueStart, valueEnd } of members) {
          expect(JSON.parse(text.slice(valueStart, valueEnd))).toEqual(parsed[name]);
          expect(JSON.parse(`{${text.slice(keyStart, valueEnd)}}`)).toEqual({ [name]: parsed[name] });
        }
      }),
    );
  });

  test("returns byte positions when the text is bytes", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const bytes = Buffer.from(text, "utf8");
        for (const { keyStart, valueEnd } of membersOf(bytes.toString("latin1"))) {
          expect(() => JSON.parse(`{${bytes.subarray(keyStart, valueEnd).toString("utf8")}}`)).not.toThrow();
        }
      }),
    );
  });

  test("reports whether a key contains escapes, because an in-place edit would miss such a key", () => {
    expect(scanJson('{"model":1}')).toMatchObject({ hasEscapedKey: false });
    expect(scanJson('{"mod\\u0065l":1}')).toMatchObject({ hasEscapedKey: true, members: [{ name: "model" }] });
    expect(scanJson('{"a":{"mod\\u0065l":1}}')).toMatchObject({ hasEscapedKey: false });
  });

  test("never throws for any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void scanJson(text)));
    const brackets = fc.string({ unit: fc.constantFrom("{", "}", "[", "]", '"', ":", ",", "\\", "a", " ") });
    fc.assert(fc.property(brackets, (text) => void scanJson(text)));
  });
});

describe("scanJson rejects", () => {
  test("nesting deeper than 64 levels, but not 64", () => {
    const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    expect(scanJson(nested(64)).kind).toBe("scanned");
    expect(scanJson(nested(65))).toMatchObject({ kind: "refused", reason: expect.stringContaining("64 levels") });
  });

  test("more than 10,000 keys at any depth", () => {
    const objects = (count: number) => `{"a":[${Array(count).fill('{"k":1}').join(",")}]}`;
    expect(scanJson(objects(9_999)).kind).toBe("scanned");
    expect(scanJson(objects(10_000))).toMatchObject({ kind: "refused", reason: expect.stringContaining("10000 keys") });
  });

  test.for([
    ['{"a":1,"a":2}', "'a' appears more than once"],
    ['{"api_key":null,"api\\u005fkey":"x"}', "'api_key' appears more than once"],
    [`{${Array.from({ length: 30 }, (_, index) => `"k${index}":1`).join(",")},"k7":2}`, "'k7' appears more than once"],
    ['{"__proto__":{}}', "'__proto__' is not allowed"],
    ['{"a":{"b":{"c":{"__proto__":1}}}}', "'__proto__' is not allowed"],
    ['{"\\u005f_proto__":{}}', "'__proto__' is not allowed"],
    ['{"constructor":{}}', "'constructor' is not allowed"],
    ['{"metadata":{"prototype":{}}}', "'prototype' is not allowed"],
  ] as const)("%s", ([text, reason]) => {
    expect(scanJson(text)).toMatchObject({ kind: "refused", reason: expect.stringContaining(reason) });
  });

  test("repeated keys only at the top level, where they would be edited", () => {
    expect(scanJson('{"a":{"x":1,"x":2},"b":{"x":3}}').kind).toBe("scanned");
  });

  test("keys such as constructor only outside tool schemas", () => {
    expect(scanJson('{"tools":[{"function":{"parameters":{"properties":{"constructor":{}}}}}]}').kind).toBe("scanned");
  });
});

describe("hostile strings", () => {
  const megabyte = 1_000_000;
  test.for([
    ["one long run of backslashes", `{"a":"${"\\\\".repeat(megabyte)}"}`],
    ["escaped quotes", `{"a":"${'\\"'.repeat(megabyte)}"}`],
    ["backslashes and quotes in turn", `{"a":"${'\\\\\\"'.repeat(megabyte / 2)}"}`],
    ["an endless string of escaped quotes", `{"a":"${'\\"'.repeat(megabyte)}`],
    ["an endless run of backslashes", `{"a":"${"\\".repeat(megabyte)}`],
    ["quotes alone", '"'.repeat(megabyte)],
    ["brackets that only close", "]".repeat(megabyte)],
  ] as const)("%s take time proportional to their length", ([, text]) => {
    // A quadratic algorithm would take minutes of CPU time.
    const before = process.threadCpuUsage();
    scanJson(text);
    findTopLevelString(text, "model");
    endOfObject(text, 0);
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
  });
});

describe("findTopLevelString", () => {
  test("returns the raw text of a top-level member, regardless of whitespace", () => {
    for (const space of ["", " ", "   ", "\t", "\n", "\r\n  "]) {
      const text = `{"id":"x","choices":[{"model":"nested"}],${space}"model"${space}:${space}"up\\"stream"${space}}`;
      const found = findTopLevelString(text, "model");
      expect(found && text.slice(found.start, found.end)).toBe('"up\\"stream"');
    }
  });

  test.for([
    '{"choices":[{"model":"nested"}]}',
    '{"content":"model"}',
    '{"models":"x","mode":"y"}',
    '{"model":null}',
    '{"model":{"model":"x"}}',
    '{"model":"unfinished',
    '{"model":',
    "",
  ])("finds no string in %s", (text) => {
    expect(findTopLevelString(text, "model")).toBeNull();
  });

  test("matches the JSON parser for any object that has the member", () => {
    fc.assert(
      fc.property(jsonObject, fc.string({ unit: "grapheme" }), (object, model) => {
        const text = JSON.stringify({ ...object, model });
        const found = findTopLevelString(text, "model");
        expect(found && JSON.parse(text.slice(found.start, found.end))).toBe(JSON.parse(text).model);
      }),
    );
  });
});

test("endOfObject returns the position just past the closing brace", () => {
  fc.assert(
    fc.property(jsonText, fc.string(), (text, after) => {
      expect(endOfObject(`${text}${after}`, 0)).toBe(text.length);
    }),
  );
  expect(endOfObject('{"a":"}', 0)).toBe(-1);
  expect(endOfObject('{"a":{}', 0)).toBe(-1);
});

function membersOf(text: string): readonly TopLevelMember[] {
  const scan = scanJson(text);
  if (scan.kind === "refused") throw new Error(scan.reason);
  return scan.members;
}

function escapeNonAscii(text: string): string {
  return text.replaceAll(
    /[^\x20-\x7e\n\t]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

test("a body with too many values is rejected before it is parsed", () => {
  const flood = `{"a":[${"{},".repeat(300_000)}{}]}`;
  expect(scanJson(flood)).toEqual({ kind: "refused", reason: "The body has more than 200000 values." });
});
