import { createHash } from "node:crypto";
import { FramesBodyReader } from "./frames-body-reader.ts";
import { JsonBodyReader } from "./json-body-reader.ts";
import { tooLarge } from "./malformed.ts";
import type { DecodedBody, DecodeOptions } from "./wire-body.ts";

/**
 * Reads a body while it arrives: in bounded memory, refused at the first byte that is wrong or too many. Throws a
 * ParticipantFailure, with nothing left behind. A request stream that must still be answered afterwards is passed as
 * `request.iterator({ destroyOnReturn: false })`.
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
