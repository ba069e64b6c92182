import { join } from "node:path";
import { base64Chunks } from "@tollgate/participant/wire/base64-chunks.ts";
import { writeDurably } from "@tollgate/participant/wire/durable-file.ts";
import type { StoredBytes } from "@tollgate/participant/wire/stored-bytes.ts";

/** Writes the final parameters twice: raw, named after their format, and as base64, as sent on the wire. */
export async function writeFinal(
  dir: string,
  parameters: StoredBytes,
  format: string | null,
): Promise<{ finalFile: string; finalBase64File: string }> {
  const finalFile = join(dir, `final.${format ?? "bin"}`);
  const finalBase64File = join(dir, "final.b64");
  await writeDurably(finalFile, parameters.chunks());
  await writeDurably(finalBase64File, base64Chunks(parameters.chunks()));
  return { finalFile, finalBase64File };
}
