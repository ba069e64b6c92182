import type { JsonSchema } from "@tollgate/testkit/json-schema.ts";
import fc from "fast-check";
import { SCRIPTED_GROUP } from "../stage/served-groups.ts";
import { BOUNDARY, writeForm } from "./form-body.ts";
import { hostileValues } from "./hostile-values.ts";
import type { PublishedOperation } from "./published-operations.ts";
import { failingModels, workingModels } from "./valid-chat.ts";

export const keyHeaders = ["x-gw-api-key", "authorization", "x-api-key", "api-key"] as const;
export type KeyKind = "good" | "master" | "none" | "unknown" | "malformed" | "token";

export type Headers = readonly (readonly [string, string])[];

/** Names of models that work, that are configured to fail, and that do not exist. */
export const modelNames: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...workingModels) },
  { weight: 2, arbitrary: fc.constantFrom(...failingModels.keys()) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "no-such-model",
      "sim/none",
      "sim/*",
      "*",
      "sim/",
      "/",
      "..",
      "a".repeat(600),
      "__proto__",
    ),
  },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }) },
);

/** IDs of records that do not exist, and invalid IDs. */
export const recordIds: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom("asst", "thread", "msg", "run", "step"), fc.stringMatching(/^[0-9A-Za-z]{24}$/))
      .map(([prefix, letters]) => `${prefix}_${letters}`),
  },
  { weight: 1, arbitrary: fc.constantFrom("asst_", "\0", "..", "a/b", "a".repeat(600), "__proto__", "thread_é") },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }) },
);

export const goodKeys = fc.constantFrom<KeyKind[]>("good", "good", "good", "master");
export const anyKeys = fc.oneof(
  { weight: 4, arbitrary: goodKeys },
  { weight: 1, arbitrary: fc.constantFrom<KeyKind[]>("none", "unknown", "malformed", "token") },
);

export const harmlessHeaders = fc.constantFrom<Headers[]>(
  [],
  [],
  [["x-gw-call-id", "fuzz-1"]],
  [["x-gw-tags", "a,b"]],
  [["origin", "https://example.com"]],
  [["x-gw-timeout", "30"]],
);

export const hostileHeaders = fc.constantFrom<Headers[]>(
  [["x-gw-call-id", "bad id\t/../"]],
  [["x-gw-timeout", "-1"]],
  [["x-gw-timeout", "NaN"]],
  [["x-gw-stream-timeout", "0.001"]],
  [["x-forwarded-for", "127.0.0.1, , ::1, garbage"]],
  [["cookie", "a=b; __proto__=c"]],
  [["accept", "text/html"]],
  [["accept-encoding", "br;q=1, *;q=0"]],
  [["content-type", "text/plain"]],
  [["content-type", "application/json; charset=latin1"]],
  [["content-type", "multipart/form-data; boundary=x"]],
  [["content-encoding", "gzip"]],
  [
    ["constructor", "x"],
    ["x-long", "y".repeat(4_000)],
  ],
  Array.from({ length: 70 }, (_, index) => [`x-many-${index}`, "1"] as const),
);

const talk = '"messages":[{"role":"user","content":"a"}]';

/** Bodies that are not JSON, are too large, or contain input that breaks some parsers. */
export const hostileBodies: fc.Arbitrary<Buffer> = fc.oneof(
  hostileValues.map(toBytes),
  fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(
      "",
      "{",
      "null",
      "[]",
      '"text"',
      "[".repeat(50_000),
      `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`,
      `{"model":"sim/echo",${talk},"model":"sim/none"}`,
      `{"model":"sim/echo",${talk}} tail`,
      `\ufeff{"model":"sim/echo",${talk}}`,
      `{"model":"sim/echo",${talk},"n":1e999}`,
      `{"model":"sim/echo",${talk},"seed":123456789012345678901234567890}`,
      `{"m\\u006fdel":"sim/echo","messages":[{"role":"user","content":"\\ud800"}]}`,
      `{"model":"sim/echo",${talk},"__proto__":{"stream":true}}`,
      `{"model":"sim/echo",${talk},"api_base":"http://127.0.0.1:1"}`,
      `{"model":"sim/echo",${talk},"extra_body":{"api_key":"x"}}`,
      `{"model":"sim/echo",${talk},"extra_headers":{"host":"elsewhere"}}`,
      `{"model":"sim/echo",${talk},"x_unknown_field":1}`,
      `{"model":"sim/echo",${talk},"extra_body":{"tools":[{"type":"web_search"}]}}`,
      `{"model":"sim/echo",${talk},"stream":true,"additional_drop_params":["stream"]}`,
    )
    .map((text) => Buffer.from(text)),
  fc.constant(Buffer.from('{"model":"sim/echo","messages":[{"role":"user","content":"\xff\xfe"}]}', "latin1")),
);

const sound = { filename: "a.wav", contentType: "audio/wav", bytes: Buffer.from("RIFF") };
const model = ["model", "sim/transcribe"] as const;

/** Forms with broken endings, repeated or ambiguous names, and invalid files. */
export const hostileForms: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .constantFrom(
      "",
      `--${BOUNDARY}`,
      `--${BOUNDARY}--`,
      `--${BOUNDARY}\r\n\r\n\r\n--${BOUNDARY}--\r\n`,
      `--${BOUNDARY}\r\ncontent-disposition: form-data\r\n\r\nx\r\n--${BOUNDARY}--`,
      `--${BOUNDARY}\ncontent-disposition: form-data; name="model"\n\nx\n--${BOUNDARY}--`,
      `before\r\n--${BOUNDARY}\r\ncontent-disposition: form-data; name="model"\r\n\r\nx`,
      `--${BOUNDARY}\r\n${"x-long: y\r\n".repeat(2_000)}`,
    )
    .map((written) => Buffer.from(written)),
  fc.constantFrom(
    writeForm([["file", sound], ["file", sound], model]),
    writeForm([model, model, ["file", sound]]),
    writeForm([["file", "no file"], model]),
    writeForm([["file", { ...sound, filename: "../../etc/passwd\0.wav" }], model]),
    writeForm([["file", { ...sound, filename: "a.exe" }], model]),
    writeForm([["file", { ...sound, bytes: Buffer.alloc(0) }], model]),
    writeForm([["file", sound], model, ["__proto__", "x"], ["constructor[prototype]", "y"]]),
    writeForm([["file", sound], model, ["metadata[__proto__]", "x"], ["metadata", "{}"]]),
    writeForm([["file", sound], model, ["api_base", "http://127.0.0.1:1"]]),
    writeForm([["file", sound], model, ["extra_body", '{"api_key":"x"}']]),
    writeForm([["file", sound], model, ...Array.from({ length: 70 }, (_, at) => [`f${at}`, "x"] as const)]),
    writeForm([["file", sound], model, ["prompt", "x".repeat(70_000)]]),
    writeForm([["file", sound], model, ["temperature", "1e999"]]),
    writeForm([["file", sound], model, ["bad]name[", "x"]]),
  ),
  fc
    .tuple(fc.string({ unit: "binary", maxLength: 10 }), fc.string({ unit: "binary", maxLength: 30 }))
    .map(([name, value]) => writeForm([["file", sound], model, [name, value]])),
);

/**
 * Query strings that must be accepted. They contain no record IDs, because the result would depend on whether the
 * record exists.
 */
export function validQueries(operation: PublishedOperation): fc.Arbitrary<string> {
  const parts = operation.query
    .filter(({ name }) => !name.endsWith("_id"))
    .map(({ name, required, schema }) => {
      // An unknown model returns 404 even if the query string is valid.
      const words = wordsOf(schema).filter((word) => name !== "model" || word !== "none");
      const part = fc.constantFrom(...words).map((word) => `${name}=${toComponent(word)}`);
      return required === true ? part : fc.option(part, { nil: null });
    });
  return fc.tuple(...parts).map((chosen) => toQuery(chosen.filter((part) => part !== null)));
}

/** Arbitrary query strings: known names with any text, unknown names, repeated names, and broken escapes. */
export function anyQueries(operation: PublishedOperation): fc.Arbitrary<string> {
  const words = ["", "true", "maybe", "expand", "general", "null", "%00", "%ff", "%", "sim%2Fecho", "a&a=b", "[]=1"];
  const word = fc.oneof(
    fc.constantFrom(...words, "x".repeat(3_000)),
    fc.string({ unit: "binary", maxLength: 10 }).map(toComponent),
  );
  const names = fc.constantFrom(...operation.query.map(({ name }) => name), "unknown", "__proto__");
  const part = fc.tuple(names, word).map(([name, value]) => `${name}=${value}`);
  return fc.array(part, { maxLength: 4 }).map(toQuery);
}

export function toBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? "");
}

/** Percent-encodes text. Replaces lone surrogates, which cannot be encoded. */
export function toComponent(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function wordsOf(schema: JsonSchema): string[] {
  const variants = schema.anyOf ?? [];
  if ("const" in schema) return [String(schema.const)];
  if (schema.type === "boolean") return ["true", "false", "1", "0", "YES", "off"];
  if (schema.type === "integer") return [String(schema.minimum ?? 0), String(schema.maximum ?? 9)];
  if (schema.type === "string") return ["sim/echo", SCRIPTED_GROUP, "none"];
  return schema.type === "null" ? [""] : variants.flatMap(wordsOf);
}

function toQuery(parts: readonly string[]): string {
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}
