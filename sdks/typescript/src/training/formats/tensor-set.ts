/** Element types as safetensors names them. Float8 and the like pass through formats but cannot be averaged. */
export type DataType =
  | "F64"
  | "F32"
  | "F16"
  | "BF16"
  | "I64"
  | "I32"
  | "I16"
  | "I8"
  | "U64"
  | "U32"
  | "U16"
  | "U8"
  | "BOOL";

export const BYTES_PER_ELEMENT: Readonly<Record<DataType, number>> = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U64: 8,
  U32: 4,
  U16: 2,
  U8: 1,
  BOOL: 1,
};

export interface TensorInfo {
  readonly dtype: DataType;
  readonly shape: readonly number[];
}

/** One array of numbers, little endian, in row order. */
export interface Tensor extends TensorInfo {
  readonly data: Uint8Array;
}

/** A model's parameters by name. */
export type TensorSet = ReadonlyMap<string, Tensor>;

/**
 * Parameters that can be read piece by piece, from memory or from a file, so that aggregation holds a piece of each
 * member and never whole models.
 */
export interface TensorSource {
  /** In the order they are written back. */
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  /**
   * The bytes of elements `from` (inclusive) to `to` (exclusive) of one tensor. A source that has to copy writes them to
   * the start of `into` where one is given and large enough.
   */
  read(name: string, from: number, to: number, into?: Uint8Array): Uint8Array;
}

/** Receives the tensors of a result in order, piece by piece. */
export interface TensorSink {
  write(name: string, piece: Uint8Array): void;
}

export type ParameterFormat = "safetensors" | "npz" | "npy" | "f32";

/** How many elements a tensor has. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
