import type { VerifiedFile } from "./verified-files.ts";

/** The built console, or the reason why it can't be served. */
export type ConsoleBundle =
  | { readonly kind: "whole"; readonly files: ReadonlyMap<string, VerifiedFile>; readonly indexHtml: string }
  /** The bundle is missing, or a file doesn't match the build. The reason is shown to the operator. */
  | { readonly kind: "broken"; readonly problem: string };
