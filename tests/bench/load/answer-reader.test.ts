import fc from "fast-check";
import { expect, test } from "vitest";
import { AnswerReader } from "./answer-reader.ts";

const jsonAnswer = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"a":"é"}'.replace(
  "9",
  String(Buffer.byteLength('{"a":"é"}')),
);
const streamAnswer =
  "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" +
  "9\r\ndata: 1\n\n\r\n" +
  "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n";

function readInPieces(answer: string, cuts: readonly number[]): { reader: AnswerReader; ends: boolean[] } {
  const bytes = Buffer.from(answer);
  const edges = [0, ...new Set(cuts.map((cut) => cut % bytes.length).filter((cut) => cut > 0)), bytes.length].sort(
    (a, b) => a - b,
  );
  const reader = new AnswerReader();
  reader.begin(true);
  const ends = edges.slice(1).map((edge, index) => {
    const piece = bytes.subarray(edges[index], edge);
    return reader.read(piece, piece.length);
  });
  return { reader, ends };
}

test("a response ends exactly at its last byte, no matter how the bytes are split", () => {
  fc.assert(
    fc.property(fc.constantFrom(jsonAnswer, streamAnswer), fc.array(fc.nat(200)), (answer, cuts) => {
      const { reader, ends } = readInPieces(answer, cuts);
      expect(ends.indexOf(true)).toBe(ends.length - 1);
      expect(reader.status).toBe(200);
      expect(reader.takeBody()).toBe(answer === jsonAnswer ? '{"a":"é"}' : "data: 1\n\ndata: [DONE]\n\n");
    }),
  );
});

test("distinguishes a stream that ends without [DONE] from a stream that ends with it", () => {
  expect(readInPieces(streamAnswer, []).reader.endedWithDone()).toBe(true);
  const cut = streamAnswer.replace("e\r\ndata: [DONE]\n\n\r\n", "");
  expect(readInPieces(cut, []).reader.endedWithDone()).toBe(false);
});

test("keeps the body of a failed response even if it was not requested", () => {
  const reader = new AnswerReader();
  const failed = Buffer.from('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 9\r\n\r\n{"why":1}');
  reader.begin(false);
  expect(reader.read(failed, failed.length)).toBe(true);
  expect(reader.takeBody()).toBe('{"why":1}');
});
