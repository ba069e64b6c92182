import { scanJsonBytes } from "@tollgate/domain/json-bytes.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Edit, editBody, editBytes, hasPath, leaveOut, toJsonBytes } from "./edit-body.ts";

const names = ["model", "messages", "stream", "metadata", "tags", "stream_options", "naïve", "a"] as const;
const body = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...names), { maxLength: names.length }),
    fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: names.length, maxLength: names.length }),
    fc.constantFrom(undefined, 1, "\t"),
    // A body this long is sent in pieces.
    fc.constantFrom("", " ", "\n", " ".repeat(20_000)),
  )
  .map(([chosen, values, indent, around]) => {
    const object = Object.fromEntries(chosen.map((name, index) => [name, values[index]]));
    return around + JSON.stringify(object, null, indent) + around;
  })
  .filter((text) => !/__proto__|constructor|prototype/.test(text));
const edits: fc.Arbitrary<ReadonlyMap<string, unknown>> = fc
  .array(
    fc.tuple(
      fc.constantFrom("model", "messages", "stream", "metadata", "tags", "stream_options", "a", "new"),
      fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined }),
    ),
  )
  .map((entries) => new Map(entries));

test.for([false, true])("a new value that isn't written as bytes is never sent, rebuilt %s", (mustRebuild) => {
  const members = [{ name: "a", keyStart: 1, valueStart: 5, valueEnd: 6 }];
  const edit = () =>
    editBytes({ bytes: Buffer.from('{"a":1}'), members, mustRebuild }, [{ name: "a", json: '"Ģ"' }], new Set());
  expect(edit).toThrow("the new value of a has characters that aren't bytes");
});

describe("editBytes", () => {
  test("changes, adds, and removes exactly the given members", () => {
    fc.assert(
      fc.property(body, edits, (text, changes) => {
        const expected = JSON.parse(text) as Record<string, unknown>;
        for (const [name, value] of changes) {
          if (value === undefined) delete expected[name];
          else expected[name] = JSON.parse(JSON.stringify(value));
        }
        expect(JSON.parse(editText(text, changes))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("leaves all other bytes unchanged", () => {
    const text =
      '{ "model" : "group",\n\t"frobnicate":[1, 2.50, 1e3],  "messages":[ {"role":"user","content":"\\u00e9é😀"} ] }';
    const edited = editText(text, new Map([["model", "upstream"]]));
    expect(edited).toBe(text.replace(' "group"', '"upstream"'));
  });

  test("makes the same edits in text, as responses are edited", () => {
    fc.assert(
      fc.property(body, edits, (text, changes) => {
        const bytes = Buffer.from(text, "utf8");
        const { members } = scan(bytes);
        const { changed, dropped } = toEdits(changes);
        const edited = editBody({ text: bytes.toString("latin1"), members }, changed, dropped);
        expect(Buffer.from(edited, "latin1").toString("utf8")).toBe(editText(text, changes));
      }),
      { numRuns: 1_000 },
    );
  });

  test("returns the same text if there are no edits", () => {
    fc.assert(fc.property(body, (text) => void expect(editText(text, new Map())).toBe(text)));
  });

  test.for([
    ['{"a":1,"b":2,"c":3}', ["a"], '{"b":2,"c":3}'],
    ['{"a":1,"b":2,"c":3}', ["b"], '{"a":1,"c":3}'],
    ['{"a":1,"b":2,"c":3}', ["c"], '{"a":1,"b":2}'],
    ['{"a":1,"b":2,"c":3}', ["b", "c"], '{"a":1}'],
    ['{"a":1,"b":2,"c":3}', ["a", "b"], '{"c":3}'],
    ['{"a":1,"b":2,"c":3}', ["a", "b", "c"], "{}"],
    ['{ "a" : 1 , "b" : 2 }', ["b"], '{ "a" : 1 }'],
    ['{"a":",","b":"}"}', ["b"], '{"a":","}'],
  ] as const)("removes members in place: %s without %j becomes %s", ([text, gone, left]) => {
    const edited = editText(text, new Map(gone.map((name) => [name, undefined])));
    expect(JSON.parse(edited)).toEqual(JSON.parse(left));
  });

  test("preserves characters in every script, although it works on bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (content, model) => {
        const text = JSON.stringify({ model: "group", messages: [{ role: "user", content }] });
        const parsed = JSON.parse(editText(text, new Map([["model", model]])));
        expect(parsed.messages[0].content).toBe(content);
        expect(parsed.model).toBe(model);
      }),
    );
  });
});

describe("editBytes rebuilds", () => {
  const rebuild = (text: string, ...dropped: string[]) => {
    const body = { bytes: Buffer.from(text, "utf8"), members: [], mustRebuild: true };
    return JSON.parse(editBytes(body, [{ name: "model", json: '"up"' }], new Set(dropped)).toString("utf8"));
  };

  test("bodies that it can't edit in place", () => {
    const text = '{"mod\\u0065l":"group","messages":[],"tags":["é"],"x":"\\u00e9😀"}';
    expect(rebuild(text, "tags")).toEqual({ model: "up", messages: [], x: "é😀" });
  });

  test("bodies with an extra_body, which is merged last and removed", () => {
    const text = '{"model":"group","messages":[],"top_k":1,"extra_body":{"top_k":40,"ключ":"значение"}}';
    expect(rebuild(text, "extra_body")).toEqual({ model: "up", messages: [], top_k: 40, ключ: "значение" });
  });
});

function editText(text: string, changes: ReadonlyMap<string, unknown>): string {
  const bytes = Buffer.from(text, "utf8");
  const { changed, dropped } = toEdits(changes);
  return editBytes({ bytes, ...scan(bytes), mustRebuild: false }, changed, dropped).toString("utf8");
}

function scan(bytes: Buffer) {
  const scanned = scanJsonBytes(bytes, null);
  if (scanned.kind === "refused") throw new Error(scanned.reason);
  return scanned;
}

function toEdits(changes: ReadonlyMap<string, unknown>): { changed: Edit[]; dropped: Set<string> } {
  const changed: Edit[] = [];
  const dropped = new Set<string>();
  for (const [name, value] of changes) {
    if (value === undefined) dropped.add(name);
    else changed.push({ name, json: toJsonBytes(value) });
  }
  return { changed, dropped };
}

const without = (request: object, ...dropped: string[]) => {
  leaveOut(request, new Set(dropped));
  return request;
};

describe("leaveOut", () => {
  test("removes whole fields by name and nested fields by path", () => {
    expect(without({ a: 1, b: { c: 1, d: { e: 1, f: 2 } } }, "a", "b.d.e")).toEqual({ b: { c: 1, d: { f: 2 } } });
  });

  test("applies a path to every list item", () => {
    const tools = [{ function: { name: "a", strict: true } }, { function: { name: "b" } }];
    expect(without({ tools }, "tools.function.strict")).toEqual({
      tools: [{ function: { name: "a" } }, { function: { name: "b" } }],
    });
  });

  test("removes a field with a dot in its name and ignores missing paths", () => {
    expect(without({ "a.b": 1, a: { b: 2 } }, "a.b")).toEqual({ a: { b: 2 } });
    expect(without({ a: "text", b: null, c: 1 }, "a.length", "b.c", "d.e", "c.toString.x")).toEqual({
      a: "text",
      b: null,
      c: 1,
    });
  });

  test("does not change inherited properties", () => {
    without({}, "__proto__.toString", "constructor.prototype.toString");
    expect(String({})).toBe("[object Object]");
  });
});

test("hasPath reports whether a name is a path to a nested field", () => {
  expect(hasPath(new Set(["a", "b.c"]))).toBe(true);
  expect(hasPath(new Set(["a", "b"]))).toBe(false);
});
