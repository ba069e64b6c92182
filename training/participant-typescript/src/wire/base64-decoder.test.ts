import fc from "fast-check";
import { expect, test } from "vitest";
import { base64Chunks, base64Length } from "./base64-chunks.ts";
import { Base64Decoder } from "./base64-decoder.ts";

test("bytes are unchanged after they are encoded and decoded in pieces of any size", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 40 })),
      fc.integer({ min: 1, max: 17 }),
      async (pieces, cut) => {
        const bytes = Buffer.concat(pieces);
        const text = await encode(pieces);
        expect(text.toString("latin1")).toBe(bytes.toString("base64"));
        expect(text.length).toBe(base64Length(bytes.length));
        const body = text.subarray(0, text.indexOf("=") === -1 ? text.length : text.indexOf("="));
        expect(decode(body, cut)).toEqual({ bytes, read: body.length });
      },
    ),
  );
});

test("every byte outside the alphabet stops the decoder at its position", () => {
  const alphabet = /[A-Za-z0-9+/]/;
  for (let byte = 0; byte < 256; byte += 1) {
    const text = Buffer.concat([Buffer.from("AAAAAAAAA"), Buffer.of(byte), Buffer.from("AAAAAA")]);
    const expected = alphabet.test(String.fromCharCode(byte)) ? text.length : 9;
    const decoder = new Base64Decoder();
    expect(decoder.decode(text, 0, new Uint8Array(100)).next).toBe(expected);
  }
});

test("rejects an invalid ending: one leftover character or nonzero unused bits", () => {
  const endings = { QQ: 1, QUI: 2, QUJD: 0, "": 0, Q: undefined, QUJDR: undefined, QR: undefined, QUJ: undefined };
  for (const [text, expected] of Object.entries(endings)) {
    const decoder = new Base64Decoder();
    const target = new Uint8Array(10);
    decoder.decode(Buffer.from(text), 0, target);
    expect([text, decoder.finish(target)]).toEqual([text, expected]);
  }
});

async function encode(pieces: readonly Uint8Array[]): Promise<Buffer> {
  const encoded: Uint8Array[] = [];
  for await (const piece of base64Chunks(streamOf(pieces))) encoded.push(piece);
  return Buffer.concat(encoded);
}

async function* streamOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

function decode(text: Buffer, cut: number): { bytes: Buffer; read: number } {
  const decoder = new Base64Decoder();
  const target = new Uint8Array(9);
  const decoded: Buffer[] = [];
  let read = 0;
  for (let start = 0; start < text.length; start += cut) {
    const piece = text.subarray(start, start + cut);
    let at = 0;
    while (at < piece.length) {
      const { next, written } = decoder.decode(piece, at, target);
      decoded.push(Buffer.from(target.subarray(0, written)));
      at = next;
    }
    read += at;
  }
  decoded.push(Buffer.from(target.subarray(0, decoder.finish(target))));
  return { bytes: Buffer.concat(decoded), read };
}
