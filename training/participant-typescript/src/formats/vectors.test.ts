import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { IncompatibleParameters } from "../participant-failure.ts";
import { detectFormat, openTensors, readTensors } from "./open-tensors.ts";
import type { DataType, ParameterFormat, TensorSet } from "./tensor-set.ts";
import { writeTensors } from "./write-tensors.ts";

interface FileCase {
  readonly name: string;
  readonly format: ParameterFormat;
  readonly canonical: boolean;
  readonly file: string;
  readonly tensors: readonly { name: string; dtype: DataType; shape: number[]; data: string }[];
}

const vectors: { files: FileCase[]; refused: { name: string; file: string }[] } = JSON.parse(
  readFileSync(new URL("../../../vectors/vectors.json", import.meta.url), "utf8"),
);

describe("files written by numpy and the reference library", () => {
  test.each(vectors.files)("$format: $name", ({ format, file, tensors, canonical }) => {
    const bytes = Buffer.from(file, "base64");
    const set = readTensors(bytes, format);
    expect(listTensors(set)).toEqual(tensors);
    if (format !== "f32") expect(detectFormat(bytes)).toBe(format);
    if (canonical) expect(Buffer.from(writeTensors(set, format)).equals(bytes)).toBe(true);
  });

  test.each(vectors.files)("$format: $name is read the same from unaligned bytes", ({ format, file, tensors }) => {
    const bytes = Buffer.from(file, "base64");
    const shifted = new Uint8Array(bytes.byteLength + 1).subarray(1);
    shifted.set(bytes);
    expect(listTensors(readTensors(shifted, format))).toEqual(tensors);
  });
});

describe("hostile files are rejected as incompatible", () => {
  test.each(vectors.refused)("$name", ({ file }) => {
    expect(() => openTensors(Buffer.from(file, "base64"))).toThrow(IncompatibleParameters);
  });

  test("in at least 80 cases, and the error for a pickle names the format", () => {
    expect(vectors.refused.length).toBeGreaterThanOrEqual(80);
    const pickle = vectors.refused.find(({ name }) => name === "pickle protocol 4");
    expect(() => detectFormat(Buffer.from(pickle?.file ?? "", "base64"))).toThrow(/pickle/);
    const archive = vectors.refused.find(({ name }) => name === "PyTorch archive with a pickle");
    expect(() => openTensors(Buffer.from(archive?.file ?? "", "base64"))).toThrow(/pickle/);
  });
});

function listTensors(set: TensorSet) {
  return [...set].map(([name, { dtype, shape, data }]) => ({
    name,
    dtype,
    shape,
    data: Buffer.from(data).toString("base64"),
  }));
}
