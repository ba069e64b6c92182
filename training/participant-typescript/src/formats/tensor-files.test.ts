import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { IncompatibleParameters } from "../participant-failure.ts";
import { openTensors, readTensors } from "./open-tensors.ts";
import { BYTES_PER_ELEMENT, type DataType, elementCount, type ParameterFormat, type Tensor } from "./tensor-set.ts";
import { writeTensorFile, writeTensors } from "./write-tensors.ts";

const folder = mkdtempSync(join(tmpdir(), "tensor-files-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newPath = () => join(folder, `parameters-${files++}`);

const formats: ParameterFormat[] = ["safetensors", "npz"];
const dtype = fc.constantFrom(...(Object.keys(BYTES_PER_ELEMENT) as DataType[]).filter((name) => name !== "BF16"));
const shape = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 });
const tensor = fc.tuple(dtype, shape).chain(([type, sizes]) => {
  const bytes = elementCount(sizes) * BYTES_PER_ELEMENT[type];
  return fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((data): Tensor => ({ dtype: type, shape: sizes, data }));
});
const name = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.nat(20).map(String));
const tensors = fc
  .array(fc.tuple(name, tensor), { maxLength: 8 })
  .map((entries) => new Map(entries.filter(([key]) => key !== "__metadata__")));

test.each(formats)("%s: reads the written tensors in order, from memory and from a file", (format) => {
  fc.assert(
    fc.property(tensors, fc.integer({ min: 1, max: 7 }), (set, pieces) => {
      const bytes = writeTensors(set, format);
      expect(plain(readTensors(bytes))).toEqual(plain(set));

      const path = newPath();
      const writer = writeTensorFile(path, set, format);
      for (const [key, { data }] of set) {
        for (let at = 0; at < data.byteLength; at += pieces) writer.write(key, data.subarray(at, at + pieces));
      }
      writer.finish();
      expect(readFileSync(path).equals(bytes)).toBe(true);

      const source = openTensors(path);
      for (const [key, { data, shape: sizes, dtype: type }] of set) {
        const middle = elementCount(sizes) >>> 1;
        const cut = middle * BYTES_PER_ELEMENT[type];
        expect([...source.read(key, 0, middle)]).toEqual([...data.subarray(0, cut)]);
        expect([...source.read(key, middle, elementCount(sizes))]).toEqual([...data.subarray(cut)]);
      }
      source.close();
      rmSync(path);
    }),
    { numRuns: 60 },
  );
});

test.each(formats)("%s: a file with any changed byte is either read or rejected", (format) => {
  const set = new Map([
    ["a", { dtype: "F32", shape: [2, 3], data: new Uint8Array(24).fill(7) } satisfies Tensor],
    ["b", { dtype: "I64", shape: [], data: new Uint8Array(8) } satisfies Tensor],
  ]);
  const bytes = writeTensors(set, format);
  const change = fc.record({ at: fc.nat(bytes.byteLength - 1), byte: fc.nat(255), end: fc.nat(bytes.byteLength) });
  fc.assert(
    fc.property(change, fc.boolean(), ({ at, byte, end }, cuts) => {
      const changed = Uint8Array.from(bytes);
      changed[at] = byte;
      const read = () => readTensors(cuts ? changed.subarray(0, end) : changed, format);
      try {
        for (const { dtype: type, shape: sizes, data } of read().values()) {
          expect(data.byteLength).toBe(elementCount(sizes) * BYTES_PER_ELEMENT[type]);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(IncompatibleParameters);
      }
    }),
    { numRuns: 1500 },
  );
});

test("rejects an array that inflates beyond its declared size, before allocating memory for it", () => {
  const bomb = zipOf("a.npy", deflateRawSync(new Uint8Array(64 * 1024 * 1024)), 1000);
  const before = process.memoryUsage().arrayBuffers;
  expect(() => readTensors(bomb)).toThrow("does not decompress to its declared size");
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  const honest = zipOf("a.npy", deflateRawSync(new Uint8Array(1024)), 2 * 1024 * 1024 * 1024);
  expect(() => readTensors(honest)).toThrow("store them uncompressed");
});

test("an existing file is never overwritten, and an abandoned file is deleted", () => {
  const set = new Map([["a", { dtype: "F32", shape: [1], data: new Uint8Array(4) } satisfies Tensor]]);
  const taken = newPath();
  writeFileSync(taken, "kept");
  expect(() => writeTensorFile(taken, set, "safetensors")).toThrow("EEXIST");
  expect(readFileSync(taken, "utf8")).toBe("kept");

  const abandoned = newPath();
  const writer = writeTensorFile(abandoned, set, "safetensors");
  expect(() => writer.finish()).toThrow("is missing 4 bytes");
  expect(() => writer.write("a", new Uint8Array(5))).toThrow("cannot hold");
  writer.abort();
  expect(existsSync(abandoned)).toBe(false);
});

test("a rejected file is closed", () => {
  const path = newPath();
  writeFileSync(path, "not parameters");
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  for (let count = 0; count < 20; count++) expect(() => openTensors(path)).toThrow(IncompatibleParameters);
  expect(open() - before).toBeLessThan(10);
});

test("each format reports the tensors it cannot store", () => {
  const half: Tensor = { dtype: "BF16", shape: [1], data: new Uint8Array(2) };
  const single: Tensor = { dtype: "F32", shape: [1], data: new Uint8Array(4) };
  expect(() => writeTensors(new Map([["a", half]]), "npz")).toThrow("numpy has no element type BF16");
  expect(() => writeTensors(new Map([["a", half]]), "f32")).toThrow("one tensor of 32-bit floats");
  expect(() =>
    writeTensors(
      new Map([
        ["a", single],
        ["b", single],
      ]),
      "npy",
    ),
  ).toThrow("one array, not 2");
  expect(() => writeTensors(new Map([["\ud800", single]]), "safetensors")).toThrow("not Unicode");
  expect(() => writeTensors(new Map([["__metadata__", single]]), "safetensors")).toThrow("__metadata__");
});

/** Builds an archive with one deflated file that claims to inflate to `bytes`. */
function zipOf(fileName: string, compressed: Uint8Array, bytes: number): Buffer {
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(compressed.byteLength, 14);
  common.writeUInt32LE(bytes, 18);
  common.writeUInt16LE(fileName.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.from(fileName), compressed]);
  const directory = Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), common, Buffer.alloc(14), Buffer.from(fileName)]);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(directory.byteLength, 12);
  end.writeUInt32LE(local.byteLength, 16);
  return Buffer.concat([local, directory, end]);
}

function plain(set: ReadonlyMap<string, Tensor>) {
  return [...set].map(([key, { dtype: type, shape: sizes, data }]) => [key, type, [...sizes], [...data]]);
}
