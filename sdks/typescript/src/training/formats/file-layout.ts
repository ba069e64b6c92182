/** Bytes and where they belong. */
export interface PlacedBytes {
  readonly position: number;
  readonly bytes: Uint8Array;
}

/** Where everything of a parameter file will lie, known before the first tensor is written. */
export interface FileLayout {
  readonly byteLength: number;
  /** Headers. */
  readonly fixed: readonly PlacedBytes[];
  /** Where each tensor's bytes start. */
  readonly positions: ReadonlyMap<string, number>;
  /** For archives: what can be written only after all tensors. */
  readonly checksums?: {
    /** CRC-32 of what precedes each tensor in its archived file. */
    readonly seeds: ReadonlyMap<string, number>;
    /** The rest of the file, from the CRC-32 of each archived file. */
    finish(sums: ReadonlyMap<string, number>): PlacedBytes[];
  };
}
