const BYTES_PER_FLOAT = 4;

/** Encodes a vector as base64-encoded little-endian 32-bit floats. */
export function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(vector.length * BYTES_PER_FLOAT);
  for (let index = 0; index < vector.length; index += 1) {
    bytes.writeFloatLE(vector[index] as number, index * BYTES_PER_FLOAT);
  }
  return bytes.toString("base64");
}

/** Decodes a vector from base64, or returns null if its length is invalid. */
export function fromBase64(text: string): number[] | null {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length % BYTES_PER_FLOAT !== 0) return null;
  const vector: number[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_PER_FLOAT) vector.push(bytes.readFloatLE(at));
  return vector;
}

/** Writes the numbers as JSON. `JSON.stringify` would lose the sign of a negative zero. */
export function toJsonNumbers(vector: readonly number[]): string {
  let json = "[";
  for (let index = 0; index < vector.length; index += 1) {
    const value = vector[index] as number;
    if (index > 0) json += ",";
    json += Object.is(value, -0) ? "-0" : String(value);
  }
  return `${json}]`;
}
