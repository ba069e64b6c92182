/**
 * Decodes base64url, or returns null unless the text is the canonical encoding of its bytes. Decoders ignore padding,
 * foreign characters, and the unused bits of the last character, so without this check, a signed token would have many
 * valid encodings.
 */
export function decodeBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : null;
}
