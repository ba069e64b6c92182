import { IncompatibleParameters } from "../participant-failure.ts";
import type { FileLayout } from "./file-layout.ts";
import { bytesOf, quote } from "./placed-tensors.ts";
import { NPY_MAGIC, NUMPY_TYPES } from "./read-npy.ts";
import type { DataType, TensorInfo } from "./tensor-set.ts";

const NUMPY_NAMES: ReadonlyMap<DataType, string> = new Map([...NUMPY_TYPES].map(([name, type]) => [type, name]));
/** Data alignment used by numpy. */
const ALIGNMENT = 64;
const PREFIX_BYTES = 10;

/** Lays out one array in numpy format version 1. */
export function layOutNpy(tensors: ReadonlyMap<string, TensorInfo>): FileLayout {
  const [entry, ...others] = tensors;
  if (entry === undefined || others.length > 0) {
    throw new IncompatibleParameters(`An npy file holds one array, not ${tensors.size}; use npz or safetensors`);
  }
  const [name, info] = entry;
  const header = npyHeader(name, info);
  return {
    byteLength: header.byteLength + bytesOf(name, info),
    fixed: [{ position: 0, bytes: header }],
    positions: new Map([[name, header.byteLength]]),
  };
}

/** Returns the npy header: everything before the data. */
export function npyHeader(name: string, { dtype, shape }: TensorInfo): Buffer {
  const type = NUMPY_NAMES.get(dtype);
  if (type === undefined) {
    throw new IncompatibleParameters(`numpy has no element type ${dtype} (tensor ${quote(name)}); use safetensors`);
  }
  const tuple = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const literal = `{'descr': '${type}', 'fortran_order': False, 'shape': (${tuple}), }`;
  const bytes = Math.ceil((PREFIX_BYTES + literal.length + 1) / ALIGNMENT) * ALIGNMENT;
  const header = Buffer.alloc(bytes, " ");
  header.set([...NPY_MAGIC, 1, 0]);
  header.writeUInt16LE(bytes - PREFIX_BYTES, 8);
  header.write(literal, PREFIX_BYTES, "latin1");
  header.write("\n", bytes - 1);
  return header;
}
