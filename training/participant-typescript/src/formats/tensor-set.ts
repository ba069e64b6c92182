/** Element types by their safetensors names. Float8 and similar types can be stored but not averaged. */
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

/** One array of numbers: little-endian, row-major. */
export interface Tensor extends TensorInfo {
  readonly data: Uint8Array;
}

/** A model's parameters by name. */
export type TensorSet = ReadonlyMap<string, Tensor>;

/** Parameters that are read piece by piece from memory or a file, so that aggregation never loads whole models. */
export interface TensorSource {
  /** Tensors in the order in which they are written. */
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  /**
   * Returns the bytes of elements `from` (inclusive) to `to` (exclusive) of one tensor. If a copy is needed and `into`
   * is large enough, copies the bytes to the start of `into`.
   */
  read(name: string, from: number, to: number, into?: Uint8Array): Uint8Array;
}

/** Receives the tensors of a result in order, piece by piece. */
export interface TensorSink {
  write(name: string, piece: Uint8Array): void;
}

export type ParameterFormat = "safetensors" | "npz" | "npy" | "f32";

/** Returns the number of elements in a tensor. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
