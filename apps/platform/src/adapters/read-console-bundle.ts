import type { ConsoleBundle } from "../pages/console-bundle.ts";
import { readVerifiedFolder } from "./read-verified-folder.ts";

/** Reads the built console into memory once, so that changes on disk don't affect a running process. */
export async function readConsoleBundle(folder: string): Promise<ConsoleBundle> {
  const sealed = await readVerifiedFolder(folder, "console");
  if (sealed.kind === "broken") return sealed;
  const files = new Map(sealed.files);
  const index = files.get("index.html");
  if (index === undefined) return { kind: "broken", problem: "The console has not been built." };
  files.delete("index.html");
  return { kind: "whole", files, indexHtml: index.bytes.toString("utf8") };
}
