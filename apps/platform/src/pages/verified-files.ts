/** A build output file, in memory. */
export interface VerifiedFile {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** True if the name contains a content hash, so the file can be cached forever. */
  readonly isHashed: boolean;
  /** Subresource integrity value, such as `sha384-…`. */
  readonly integrity: string;
}

/** Build output by path, or the reason why it can't be served. */
export type VerifiedFiles =
  | { readonly kind: "whole"; readonly files: ReadonlyMap<string, VerifiedFile> }
  /** The folder is missing, or a file doesn't match the build. The reason is shown to the operator. */
  | { readonly kind: "broken"; readonly problem: string };
