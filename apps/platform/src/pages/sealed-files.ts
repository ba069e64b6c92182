/** One file of what was built, whole in memory. */
export interface VerifiedFile {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** Whether its name says what is in it, so that it may be kept for ever. */
  readonly isHashed: boolean;
  /** Such as `sha384-…`, as browsers check it. */
  readonly integrity: string;
}

/** What was built, by path, or why it cannot be shown. */
export type VerifiedFiles =
  | { readonly kind: "whole"; readonly files: ReadonlyMap<string, VerifiedFile> }
  /** Nothing was built, or a file is not what the build made: a sentence for whoever mends it. */
  | { readonly kind: "broken"; readonly problem: string };
