import { createHash } from "node:crypto";
import { canonicalJson } from "@tollgate/domain/canonical-json.ts";
import type { UploadedFile } from "../call/call-body.ts";

/** Returns the SHA-256 of a JSON value, independent of its formatting. */
export function digestOf(value: unknown): Buffer {
  return createHash("sha256").update(canonicalJson(value)).digest();
}

/** Returns the value that represents an uploaded file in a digest. */
export async function describeFile(file: UploadedFile): Promise<object> {
  const hash = createHash("sha256");
  for await (const piece of file.open()) hash.update(piece as Buffer);
  return { filename: file.filename, contentType: file.contentType, sha256: hash.digest("hex") };
}
