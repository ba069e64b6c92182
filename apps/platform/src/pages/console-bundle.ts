import type { VerifiedFile } from "./sealed-files.ts";

/** What was built of the console, or why it cannot be shown. */
export type ConsoleBundle =
  | { readonly kind: "whole"; readonly files: ReadonlyMap<string, VerifiedFile>; readonly indexHtml: string }
  /** Nothing was built, or a file is not what the build made: a sentence for whoever mends it. */
  | { readonly kind: "broken"; readonly problem: string };
