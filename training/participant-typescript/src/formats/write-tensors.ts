import { crc32 } from "node:zlib";
import { IncompatibleParameters } from "../participant-failure.ts";
import { type ByteTarget, fileTarget, memoryTarget } from "./byte-target.ts";
import type { FileLayout } from "./file-layout.ts";
import { ONLY_TENSOR } from "./open-tensors.ts";
import { bytesOf, quote } from "./placed-tensors.ts";
import type { ParameterFormat, TensorInfo, TensorSet, TensorSink } from "./tensor-set.ts";
import { layOutNpy } from "./write-npy.ts";
import { layOutNpz } from "./write-npz.ts";
import { layOutSafetensors } from "./write-safetensors.ts";

/** Sink for a complete parameter file. */
export interface TensorWriter extends TensorSink {
  /**
   * Throws if a tensor is incomplete. Afterward, the file is complete but not synced, because syncing would block for
   * too long.
   */
  finish(): void;
  /** Discards everything written. */
  abort(): void;
}

/** Serializes these tensors in order. Equal tensors produce equal bytes. */
export function writeTensors(tensors: TensorSet, format: ParameterFormat): Uint8Array {
  const { bytes, writer } = writeTensorBytes(tensors, format);
  for (const [name, { data }] of tensors) writer.write(name, data);
  writer.finish();
  return bytes;
}

/** Returns an in-memory writer and its output, which is complete once the writer has finished. */
export function writeTensorBytes(
  tensors: ReadonlyMap<string, TensorInfo>,
  format: ParameterFormat,
): { bytes: Uint8Array; writer: TensorWriter } {
  const layout = layOut(tensors, format);
  const bytes = new Uint8Array(layout.byteLength);
  return { bytes, writer: writeLayout(memoryTarget(bytes), layout, tensors) };
}

/** Creates a writer to a new file. Only part of a tensor is in memory at a time. */
export function writeTensorFile(
  path: string,
  tensors: ReadonlyMap<string, TensorInfo>,
  format: ParameterFormat,
): TensorWriter {
  const layout = layOut(tensors, format);
  return writeLayout(fileTarget(path), layout, tensors);
}

function layOut(tensors: ReadonlyMap<string, TensorInfo>, format: ParameterFormat): FileLayout {
  for (const name of tensors.keys()) {
    if (!name.isWellFormed()) throw new IncompatibleParameters(`The name ${quote(name)} is not Unicode text`);
    if (name === "__metadata__") throw new IncompatibleParameters("No tensor can be named __metadata__");
  }
  if (format === "safetensors") return layOutSafetensors(tensors);
  if (format === "npz") return layOutNpz(tensors);
  return format === "npy" ? layOutNpy(tensors) : layOutFloats(tensors);
}

/** Lays out f32: a single tensor of 32-bit floats, with any name and shape. */
function layOutFloats(tensors: ReadonlyMap<string, TensorInfo>): FileLayout {
  const [name = ONLY_TENSOR, info] = [...tensors][0] ?? [];
  if (tensors.size !== 1 || info?.dtype !== "F32") {
    throw new IncompatibleParameters("The format f32 holds one tensor of 32-bit floats; use safetensors for others");
  }
  return { byteLength: bytesOf(name, info), fixed: [], positions: new Map([[name, 0]]) };
}

function writeLayout(target: ByteTarget, layout: FileLayout, tensors: ReadonlyMap<string, TensorInfo>): TensorWriter {
  const left = new Map([...tensors].map(([name, info]) => [name, bytesOf(name, info)]));
  const sums = new Map(layout.checksums?.seeds);
  for (const { position, bytes } of layout.fixed) target.write(position, bytes);
  return {
    write(name, piece) {
      const info = tensors.get(name);
      const missing = left.get(name);
      const position = layout.positions.get(name);
      if (info === undefined || missing === undefined || position === undefined || piece.byteLength > missing) {
        throw new RangeError(`Tensor ${quote(name)} cannot hold ${piece.byteLength} more bytes`);
      }
      target.write(position + bytesOf(name, info) - missing, piece);
      left.set(name, missing - piece.byteLength);
      if (layout.checksums !== undefined) sums.set(name, crc32(piece, sums.get(name)));
    },
    finish() {
      for (const [name, missing] of left) {
        if (missing > 0) throw new RangeError(`Tensor ${quote(name)} is missing ${missing} bytes`);
      }
      for (const { position, bytes } of layout.checksums?.finish(sums) ?? []) target.write(position, bytes);
      target.finish();
    },
    abort: () => target.abort(),
  };
}
