import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../handlers.ts";
import { ParticipantFailure } from "../participant-failure.ts";
import { decodeBody } from "./decode-body.ts";
import { encodeBody } from "./encode-body.ts";
import { storeInMemory } from "./memory-bytes.ts";
import type { Blobs, DecodedBody, DecodeOptions, WireForm } from "./wire-body.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "frames-"));
});
afterAll(() => rm(folder, { recursive: true }));

const TABLE_RULE = /^the frames header must list each frame's length and sha256$/;
const bytes = fc.uint8Array({ maxLength: 2000 });

test.each<WireForm>(["frames", "json"])("%s encoding round-trips for any split of the bytes", async (form) => {
  await fc.assert(
    fc.asyncProperty(
      fc.option(bytes),
      fc.option(fc.array(bytes, { maxLength: 5 })),
      fc.dictionary(fc.string({ maxLength: 5 }).filter(isPlainName), fc.jsonValue({ maxDepth: 2 })),
      fc.integer({ min: 1, max: 3000 }),
      async (parameters, list, values, cut) => {
        const fields = JSON.parse(JSON.stringify(values)) as JsonObject;
        const blobs: Blobs = {
          parameters: parameters && storeInMemory(parameters),
          parametersList: list?.map(storeInMemory),
        };
        const body = encodeBody(fields, blobs, form);
        const sent = await collect(body.chunks);
        expect(sent.length).toBe(body.contentLength);
        const decoded = await decode(sent, { form, memoryBytes: 1500 }, cut);
        expect(decoded.fields).toEqual(fields);
        expect(decoded.byteLength).toBe(sent.length);
        expect(decoded.sha256).toBe(sha256(sent));
        expect(await decoded.blobs.parameters?.bytes()).toEqual(parameters?.length ? plain(parameters) : undefined);
        const entries = decoded.blobs.parametersList?.map(async (entry) => plain(await entry.bytes()));
        expect(await Promise.all(entries ?? [])).toEqual(list?.map(plain) ?? []);
        await dispose(decoded);
      },
    ),
    { numRuns: 60 },
  );
  expect(await readdir(folder)).toEqual([]);
});

describe("a frames body is rejected", () => {
  const content = Buffer.from("model");
  const frame = { length: 5, sha256: sha256(content) };
  const valid = { parameters: { $frame: 0 }, frames: [frame] };

  test.each<[string, JsonObject, Buffer, RegExp]>([
    [
      "whose bytes do not match the checksum",
      valid,
      Buffer.from("modeL"),
      /^frame 0 does not match the sha256 in its header$/,
    ],
    ["that ends early", valid, Buffer.from("mode"), /^the body ends inside frame 0$/],
    ["with bytes after the last frame", valid, Buffer.from("model!"), /^the body continues after the last frame$/],
    ["that uses a frame twice", { ...valid, parameters_list: [{ $frame: 0 }] }, content, /^frame 0 is used twice$/],
    ["that leaves a frame unused", { frames: [frame] }, content, /^frame 0 is not used$/],
    ["that points nowhere", { parameters: { $frame: 1 }, frames: [frame] }, content, /^unknown frame 1$/],
    ["that points between frames", { parameters: { $frame: 0.5 }, frames: [frame] }, content, /^unknown frame 0.5$/],
    [
      "with base64 in it",
      { parameters: "QQ==", frames: [] },
      Buffer.of(),
      /^parameters must be {"\$frame": <index>} or null$/,
    ],
    ["without a table", { parameters: null }, Buffer.of(), TABLE_RULE],
    ["with a negative length", { ...valid, frames: [{ ...frame, length: -1 }] }, content, TABLE_RULE],
    ["with a fraction of a byte", { ...valid, frames: [{ ...frame, length: 5.5 }] }, content, TABLE_RULE],
    ["with a made-up checksum", { ...valid, frames: [{ ...frame, sha256: "x" }] }, content, TABLE_RULE],
    [
      "whose list is no list",
      { parameters_list: { $frame: 0 }, frames: [frame] },
      content,
      /must be an array of base64 strings/,
    ],
  ])("%s", async (_name, header, rest, message) => {
    const failure = await failureOf(frames(JSON.stringify(header), rest));
    expect([failure.code, failure.message]).toEqual(["VALIDATION_ERROR", expect.stringMatching(message)]);
  });

  test("if its format or header length is wrong", async () => {
    const header = JSON.stringify(valid);
    const other = Buffer.concat([Buffer.from("TGF2"), frames(header, content).subarray(4)]);
    expect((await failureOf(other)).message).toMatch(/does not start with TGF1/);
    const longer = frames(header, content);
    longer.writeBigUInt64LE(16n * 1024n * 1024n + 1n, 4);
    expect((await failureOf(longer)).message).toMatch(/longer than 16 MiB/);
    const shorter = frames(header, content);
    shorter.writeBigUInt64LE(BigInt(header.length - 1), 4);
    expect((await failureOf(shorter)).message).toMatch(/^the frames header is not a JSON object$/);
    expect((await failureOf(frames("", content))).message).toMatch(/is not a JSON object/);
    expect((await failureOf(frames('{"frames":[],"frames":[]}', Buffer.of()))).message).toMatch(
      /^the field "frames" appears twice$/,
    );
  });

  test("before its frames arrive if they would exceed the size limit", async () => {
    const header = JSON.stringify({ parameters: { $frame: 0 }, frames: [{ ...frame, length: 2 ** 40 }] });
    const failure = await failureOf(frames(header, Buffer.of()));
    expect([failure.code, failure.extras.details]).toEqual(["PAYLOAD_TOO_LARGE", { limitBytes: 100_000 }]);
  });

  test("without leaving a file behind", async () => {
    const big = Buffer.alloc(20_000);
    const header = { parameters: { $frame: 0 }, frames: [{ length: big.length, sha256: "0".repeat(64) }] };
    await failureOf(frames(JSON.stringify(header), big), { memoryBytes: 100 });
    expect(await readdir(folder)).toEqual([]);
  });
});

test("many small models share one memory budget", async () => {
  const blobs = { parametersList: Array.from({ length: 100 }, (_, index) => storeInMemory(Buffer.alloc(100, index))) };
  const sent = await collect(encodeBody({}, blobs, "frames").chunks);
  const decoded = await decode(sent, { memoryBytes: 5000, maxEntries: 100 }, 777);
  expect(await readdir(folder)).toHaveLength(50);
  await dispose(decoded);
  expect(await readdir(folder)).toEqual([]);
});

function isPlainName(name: string): boolean {
  return !["parameters", "parameters_list", "frames", "__proto__"].includes(name);
}

function frames(header: string, rest: Buffer): Buffer {
  const prefix = Buffer.alloc(12);
  prefix.write("TGF1");
  prefix.writeBigUInt64LE(BigInt(Buffer.byteLength(header)), 4);
  return Buffer.concat([prefix, Buffer.from(header), rest]);
}

async function decode(body: Buffer, options: Partial<DecodeOptions>, cut: number): Promise<DecodedBody> {
  const all = { form: "frames", maxBytes: 100_000, maxEntries: 8, memoryBytes: 50_000, folder, ...options } as const;
  return decodeBody(cutInto(body, cut), all);
}

async function failureOf(body: Buffer, options: Partial<DecodeOptions> = {}): Promise<ParticipantFailure> {
  for (const cut of [1, 12, body.length]) {
    const outcome = await decode(body, options, cut).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(ParticipantFailure);
    if (cut === body.length) return outcome as ParticipantFailure;
  }
  throw new Error("unreachable");
}

async function dispose({ blobs }: DecodedBody): Promise<void> {
  await blobs.parameters?.dispose();
  for (const entry of blobs.parametersList ?? []) await entry.dispose();
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return Buffer.concat(pieces);
}

async function* cutInto(body: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}

function plain(value: Uint8Array): Uint8Array {
  return new Uint8Array(value);
}

function sha256(value: Uint8Array): string {
  return createHash("sha256").update(value).digest("hex");
}
