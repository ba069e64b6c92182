import { createHash } from "node:crypto";
import { FramesBodyReader } from "./frames-body-reader.ts";
import { JsonBodyReader } from "./json-body-reader.ts";
import { tooLarge } from "./malformed.ts";
import type { DecodedBody, DecodeOptions } from "./wire-body.ts";

/**
 * Decodes a body as it arrives, in bounded memory, and stops at the first invalid or excess byte. On failure, throws a
 * ParticipantFailure and removes its files. Pass a request that still needs a response as `request.iterator({
 * destroyOnReturn: false })`.
 */
export async function decodeBody(chunks: AsyncIterable<Uint8Array>, options: DecodeOptions): Promise<DecodedBody> {
  const reader = options.form === "frames" ? new FramesBodyReader(options) : new JsonBodyReader(options);
  const hash = createHash("sha256");
  let byteLength = 0;
  try {
    for await (const chunk of chunks) {
      if (byteLength + chunk.length > options.maxBytes) throw tooLarge(options.form, options.maxBytes);
      hash.update(chunk);
      await reader.push(chunk, byteLength);
      byteLength += chunk.length;
    }
    const { fields, blobs } = await reader.finish(byteLength);
    return { fields, blobs, sha256: hash.digest("hex"), byteLength };
  } catch (error) {
    await reader.dispose();
    throw error;
  }
}
