import type { VerifiedFile } from "./verified-files.ts";

/** The built console, or the reason why it can't be served. */
export type ConsoleBundle =
  | { readonly kind: "whole"; readonly files: ReadonlyMap<string, VerifiedFile>; readonly indexHtml: string }
  /** Missing, or a file doesn't match the build. The text is for the operator. */
  | { readonly kind: "broken"; readonly problem: string };
