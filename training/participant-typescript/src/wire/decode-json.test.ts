import { isUtf8 } from "node:buffer";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../handlers.ts";
import { ParticipantFailure } from "../participant-failure.ts";
import { decodeBody } from "./decode-body.ts";
import type { DecodeOptions } from "./wire-body.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "decode-json-"));
});
afterAll(() => rm(folder, { recursive: true }));

interface Plain {
  fields: JsonObject;
  parameters?: string | null;
  list?: string[];
}

describe("for any split of the body", () => {
  test("fields and parameters match the result of parsing the body whole", async () => {
    await fc.assert(
      fc.asyncProperty(randomBody, randomCutting, async (body, cutting) => {
        const text = Buffer.from(JSON.stringify(body));
        expect(await decode(text, cutting)).toEqual(reference(text));
      }),
      { numRuns: 200 },
    );
  });

  test("a body damaged in one byte is accepted if and only if parsing it whole accepts it", async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(randomBody, randomDamage, randomCutting, async (body, damage, cutting) => {
        const text = damage(Buffer.from(JSON.stringify(body)));
        const expected = reference(text);
        if (expected === undefined) refused += 1;
        expect(await decode(text, cutting)).toEqual(expected);
      }),
      { numRuns: 600 },
    );
    expect(refused).toBeGreaterThan(100);
  });
});

test("rows may repeat their field names, but too many different names are rejected before parsing", async () => {
  const rows = (name: (index: number) => string) =>
    Buffer.from(`{"dataset":[${Array.from({ length: 300_000 }, (_, index) => `{"${name(index)}":0}`).join(",")}]}`);
  const decodeWhole = (text: Buffer) => decodeBody(streamOf(text, [65_536]), { ...defaults(), maxBytes: text.length });
  const { fields } = await decodeWhole(rows((index) => `x\\u00${10 + (index % 10)}`));
  expect(fields.dataset).toHaveLength(300_000);
  const refusal = { code: "PAYLOAD_TOO_LARGE", message: "the body has more than 262144 distinct field names" };
  await expect(decodeWhole(rows((index) => `x${index}`))).rejects.toMatchObject(refusal);
  const escaped = (index: number) =>
    `\\u${index.toString(16).padStart(8, "0").slice(0, 4)}\\u${(index & 0xffff).toString(16).padStart(4, "0")}`;
  await expect(decodeWhole(rows(escaped))).rejects.toMatchObject(refusal);
});

describe("parameters", () => {
  test.each([
    ['{"parameters":"QUJD"}', "QUJD"],
    ['{"parameters":"QQ"}', "QQ=="],
    ['{"parameters":"QQ=="}', "QQ=="],
    ['{"parameters":"+\\/\\/+"}', "+//+"],
    ['{"\\u0070arameters":"QUJD"}', "QUJD"],
    ['{"parameters":""}', null],
    ['{"parameters":null}', null],
    ["{}", undefined],
    ['{"config":{"parameters":"not base64!"}}', undefined],
  ])("%s decodes to %s", async (text, expected) => {
    expect((await decode(Buffer.from(text), [1]))?.parameters).toEqual(expected);
  });

  test.each([
    ['{"parameters":"QQ="}', 18],
    ['{"parameters":"Q==="}', 16],
    ['{"parameters":"QUJD="}', 19],
    ['{"parameters":"QQ==QQ=="}', 19],
    ['{"parameters":"QR=="}', 19],
    ['{"parameters":"Q"}', 16],
    ['{"parameters":"QU-_"}', 17],
    ['{"parameters":"QU JD"}', 17],
    ['{"parameters":"QU\\u004aD"}', 18],
    ['{"parameters":"QU\\nJD"}', 18],
    ['{"parameters":"QU\nJD"}', 17],
    ['{"parameters":5}', 14],
    ['{"parameters":["QQ=="]}', 14],
    ['{"parameters_list":"QQ=="}', 19],
    ['{"parameters_list":[null]}', 20],
    ['{"parameters_list":[["QQ=="]]}', 20],
    ['{"parameters":"QQ==","\\u0070arameters":null}', 38],
    ['{"round":1,"round":1}', 18],
    ['{"parameters":"QQ=="', 20],
    ['{"parameters":"QQ', 17],
    ['{"round":1}x', 11],
    ['{"round":01}', 10],
    ['{"round":1.}', 11],
    ['{"round":NaN}', 9],
    ["[]", 0],
    ["", 0],
    ["\ufeff{}", 0],
  ])("%s is rejected at byte %i", async (text, position) => {
    const failure = await failureOf(text);
    expect(failure.code).toBe("VALIDATION_ERROR");
    expect(failure.extras.details?.position).toBe(position);
  });
});

describe("limits", () => {
  test("accept a nesting depth of 64 and reject a depth of 65", async () => {
    const nested = (depth: number): string => `{"config":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    expect(await decode(Buffer.from(nested(64)), [7])).toBeDefined();
    expect((await failureOf(nested(65))).message).toMatch(/deeper than 64 levels/);
  });

  test("reject one more entry than allowed", async () => {
    const list = (count: number): string => JSON.stringify({ parameters_list: Array(count).fill("QQ==") });
    expect((await decode(Buffer.from(list(8)), [50]))?.list).toHaveLength(8);
    expect((await failureOf(list(9))).message).toMatch(/1 to 8 entries/);
  });

  test("reject one more field than allowed", async () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`f${index}`, 0])));
    expect((await failureOf(text)).message).toMatch(/more than 1000 fields/);
  });

  test("reject a body one byte over the limit while reading, with an error that names the limit and suggests frames", async () => {
    const text = `{"parameters":"${"QUJD".repeat(10)}"}`;
    expect(await decode(Buffer.from(text), [9], { maxBytes: text.length })).toBeDefined();
    const failure = await failureOf(endless(), { maxBytes: 1000 });
    expect([failure.code, failure.extras.details]).toEqual(["PAYLOAD_TOO_LARGE", { limitBytes: 1000 }]);
    expect(failure.message).toContain("application/vnd.tollgate.frames");
  });

  test("reject a body that would exceed the memory of the process when parsed", () => {
    const program = `
      import { decodeBody } from ${JSON.stringify(new URL("decode-body.ts", import.meta.url).href)};
      async function* flood() {
        yield Buffer.from('{"dataset":[{}');
        for (;;) yield Buffer.from(",{}".repeat(1000));
      }
      const options = { form: "json", maxBytes: 2 ** 40, maxEntries: 1, memoryBytes: 0, folder: "/nowhere" };
      await decodeBody(flood(), options).catch((error) => console.log(error.code));
    `;
    const node = spawnSync(process.execPath, ["--max-old-space-size=64", "--input-type=module", "--eval", program]);
    expect(String(node.stdout)).toBe("PAYLOAD_TOO_LARGE\n");
  });

  test("reject text that is not UTF-8", async () => {
    const text = Buffer.from('{"name":"?"}');
    text[9] = 0xff;
    const failure = await failureOf(streamOf(text, [3]));
    expect([failure.message, failure.extras.details]).toEqual([
      "the body is not valid JSON",
      { problem: "it is not UTF-8" },
    ]);
  });
});

test("a rejected body leaves no file behind", async () => {
  const text = JSON.stringify({ parameters_list: [Buffer.alloc(5000).toString("base64"), "QUJD!"] });
  await failureOf(text, { memoryBytes: 100 });
  const files = await readdir(folder);
  expect(files).toEqual([]);
});

const shortBytes = fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString("base64"));
// Names of different lengths, so that one damaged byte cannot make two of them equal.
const randomBody = fc.record(
  {
    a: fc.jsonValue({ maxDepth: 3 }),
    bb: fc.string({ unit: "binary" }),
    ccccc: fc.oneof(fc.double({ noDefaultInfinity: true, noNaN: true }), fc.integer(), fc.constant(-0.5e-7)),
    parameters: fc.oneof(shortBytes, fc.constant(null)),
    parameters_list: fc.array(shortBytes, { maxLength: 4 }),
  },
  { requiredKeys: [] },
);
const randomCutting = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
const anyByte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(...Buffer.from('"\\{}[],:=/0-.eE tn')));
const randomDamage = fc
  .tuple(fc.nat(), anyByte, fc.constantFrom("replace", "insert", "remove", "cut"))
  .map(([place, byte, kind]) => (text: Buffer) => {
    const at = place % text.length;
    const after = text.subarray(kind === "insert" ? at : at + 1);
    if (kind === "cut") return text.subarray(0, at);
    return Buffer.concat([text.subarray(0, at), kind === "remove" ? Buffer.of() : Buffer.of(byte), after]);
  });

/**
 * Decodes a body with the standard parser and a simple base64 check. Returns undefined if the body must be rejected.
 */
function reference(text: Buffer): Plain | undefined {
  if (!isUtf8(text)) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text.toString());
  } catch {
    return undefined;
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined;
  const { parameters, parameters_list: list, ...fields } = body as JsonObject;
  if (parameters !== undefined && parameters !== null && !isBase64(parameters)) return undefined;
  if (list !== undefined && list !== null && !(Array.isArray(list) && list.every(isBase64))) return undefined;
  const normal = (base64: string): string => Buffer.from(base64, "base64").toString("base64");
  return {
    fields,
    parameters: parameters === undefined ? undefined : parameters ? normal(String(parameters)) : null,
    list: Array.isArray(list) ? list.map((entry) => normal(String(entry))) : undefined,
  } as Plain;
}

function isBase64(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const unpadded = value.replace(/={1,2}$/, "");
  if (unpadded.length < value.length && value.length % 4 !== 0) return false;
  return Buffer.from(unpadded, "base64").toString("base64").replaceAll("=", "") === unpadded;
}

async function decode(
  text: Buffer,
  cutting: readonly number[],
  options: Partial<DecodeOptions> = {},
): Promise<Plain | undefined> {
  try {
    const { fields, blobs } = await decodeBody(streamOf(text, cutting), { ...defaults(), ...options });
    const asText = async (stored: { bytes(): Promise<Uint8Array> }): Promise<string> =>
      Buffer.from(await stored.bytes()).toString("base64");
    return {
      fields,
      parameters: blobs.parameters ? await asText(blobs.parameters) : blobs.parameters,
      list: blobs.parametersList && (await Promise.all(blobs.parametersList.map(asText))),
    } as Plain;
  } catch (error) {
    if (error instanceof ParticipantFailure) return undefined;
    throw error;
  }
}

async function failureOf(
  body: string | AsyncIterable<Uint8Array>,
  options: Partial<DecodeOptions> = {},
): Promise<ParticipantFailure> {
  const chunks = typeof body === "string" ? streamOf(Buffer.from(body), [3, 1, 5]) : body;
  const outcome = await decodeBody(chunks, { ...defaults(), ...options }).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(ParticipantFailure);
  return outcome as ParticipantFailure;
}

function defaults(): DecodeOptions {
  return { form: "json", maxBytes: 1_000_000, maxEntries: 8, memoryBytes: 1_000_000, folder };
}

async function* streamOf(text: Buffer, cutting: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let index = 0; at < text.length; index += 1) {
    const size = cutting[index % cutting.length] as number;
    yield text.subarray(at, at + size);
    at += size;
  }
}

async function* endless(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"parameters":"');
  for (;;) yield Buffer.from("QUJDQUJDQUJD");
}
