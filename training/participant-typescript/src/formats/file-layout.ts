/** Bytes and their position in the file. */
export interface PlacedBytes {
  readonly position: number;
  readonly bytes: Uint8Array;
}

/** Positions of all parts of a parameter file, known before the first tensor is written. */
export interface FileLayout {
  readonly byteLength: number;
  /** File headers and their positions. */
  readonly fixed: readonly PlacedBytes[];
  /** Start position of each tensor's bytes. */
  readonly positions: ReadonlyMap<string, number>;
  /** For archives: parts that can be written only after all tensors. */
  readonly checksums?: {
    /** CRC-32 of the bytes before each tensor in its archived file. */
    readonly seeds: ReadonlyMap<string, number>;
    /** Returns the remaining parts of the file, given the CRC-32 of each archived file. */
    finish(sums: ReadonlyMap<string, number>): PlacedBytes[];
  };
}
