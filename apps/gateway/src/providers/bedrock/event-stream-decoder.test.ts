import { crc32 as checksumOf } from "node:zlib";
import { amazonEvent, amazonException, amazonFrame, converseFrames } from "@tollgate/testkit/amazon-event-stream.ts";
import { describe, expect, test } from "vitest";
import { MalformedResponse } from "../../call/provider.ts";
import { EventStreamDecoder } from "./event-stream-decoder.ts";

const delta = { contentBlockIndex: 0, delta: { text: "Grüße 😀" } };
const utf8 = (text: string) => Buffer.from(text, "latin1").toString("utf8");

/** Returns the frame with these bytes changed. */
function changed(frame: Buffer, change: (bytes: Buffer) => void): Buffer {
  const copy = Buffer.from(frame);
  change(copy);
  return copy;
}

test("decodes frames to events, however the network splits the stream", () => {
  const bytes = Buffer.concat([
    ...converseFrames(["Grüße ", "😀"]),
    amazonException("throttlingException", { message: "x" }),
  ]);
  const whole = new EventStreamDecoder().push(bytes);
  expect(utf8(whole).split("\n\n")).toEqual([
    'data: {"messageStart":{"role":"assistant"}}',
    'data: {"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"Grüße "},"p":"abcdefgh"}}',
    'data: {"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"😀"},"p":"abcdefgh"}}',
    'data: {"contentBlockStop":{"contentBlockIndex":0}}',
    'data: {"messageStop":{"stopReason":"end_turn"}}',
    expect.stringContaining('data: {"metadata":{"usage":'),
    'data: {"exception":"throttlingException","body":{"message":"x"}}',
    "",
  ]);
  for (const size of [1, 11, 12, 13, 64]) {
    const decoder = new EventStreamDecoder();
    let pieces = "";
    for (let at = 0; at < bytes.length; at += size) pieces += decoder.push(bytes.subarray(at, at + size));
    expect(pieces).toBe(whole);
  }
});

test("decodes error messages as exceptions and writes each payload on one line", () => {
  const error = amazonFrame(
    { ":message-type": "error", ":error-code": "InternalFailure", ":error-message": 'a "b"\nc' },
    "",
  );
  const spread = amazonEvent("metadata", '{\r\n "usage": {}\n}\n');
  expect(new EventStreamDecoder().push(Buffer.concat([error, spread, amazonEvent("messageStart", "")]))).toBe(
    'data: {"exception":"InternalFailure","body":{"message":"a \\"b\\"\\nc"}}\n\n' +
      'data: {"metadata":{  "usage": {} }}\n\n' +
      'data: {"messageStart":{}}\n\n',
  );
});

describe("malformed Bedrock event stream", () => {
  const frame = amazonEvent("contentBlockDelta", delta);
  test.for<[string, Buffer]>([
    ["a corrupted length", changed(frame, (bytes) => bytes.writeUInt32BE(0xffff, 0))],
    ["a corrupted payload", changed(frame, (bytes) => bytes.writeUInt8(0x21, bytes.length - 8))],
    ["a corrupted checksum", changed(frame, (bytes) => bytes.writeUInt32BE(1, bytes.length - 4))],
    ["a frame of gigabytes", prelude(0x7fff_ffff, 0)],
    ["a frame shorter than its prelude", prelude(8, 0)],
    ["headers longer than their frame", prelude(100, 99)],
    ["server-sent events with the frame content type", Buffer.from('data: {"messageStart":{}}\n\n')],
    ["a header that ends outside its frame", amazonFrameOf(Buffer.from([200, 65, 7]))],
    ["a header of unknown type", amazonFrameOf(Buffer.from([1, 65, 42]))],
    ["no message type", amazonFrame({}, {})],
    [
      "an event name that would break the JSON",
      amazonFrame({ ":message-type": "event", ":event-type": 'a":1,"b' }, {}),
    ],
  ])("is rejected immediately if it contains %s", ([, bytes]) => {
    expect(() => new EventStreamDecoder().push(bytes)).toThrow(MalformedResponse);
  });

  test("is decoded up to its first malformed frame, even if both arrive together", () => {
    const decoder = new EventStreamDecoder();
    const damaged = changed(frame, (bytes) => bytes.writeUInt32BE(1, bytes.length - 4));
    expect(decoder.push(Buffer.concat([amazonEvent("messageStart", ""), damaged]))).toBe(
      'data: {"messageStart":{}}\n\n',
    );
    expect(decoder.damage).toBeInstanceOf(MalformedResponse);
  });

  test("is rejected immediately if it contains random bytes", () => {
    for (let round = 0; round < 200; round += 1) {
      const bytes = crypto.getRandomValues(new Uint8Array(64));
      expect(() => new EventStreamDecoder().push(Buffer.from(bytes))).toThrow(MalformedResponse);
    }
  });
});

test("buffers a partial frame without rescanning it on every chunk", () => {
  const decoder = new EventStreamDecoder();
  const large = amazonEvent("contentBlockDelta", { delta: { text: "x".repeat(900_000) } });
  const before = process.threadCpuUsage();
  let events = "";
  for (const byte of large.subarray(0, 300_000)) events += decoder.push(Buffer.from([byte]));
  events += decoder.push(large.subarray(300_000));
  expect(events).toHaveLength('data: {"contentBlockDelta":{"delta":{"text":""}}}\n\n'.length + 900_000);
  // A decoder that joins its buffers for every byte would take minutes of CPU time.
  expect(process.threadCpuUsage(before).user).toBeLessThan(5_000_000);
});

/** Returns a prelude with a valid checksum. */
function prelude(frameBytes: number, headerBytes: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(frameBytes, 0);
  bytes.writeUInt32BE(headerBytes, 4);
  bytes.writeUInt32BE(checksumOf(bytes.subarray(0, 8)), 8);
  return bytes;
}

/** Returns a frame that is valid except for its headers, which are these bytes. */
function amazonFrameOf(headers: Buffer): Buffer {
  const whole = Buffer.concat([prelude(12 + headers.length + 4, headers.length), headers]);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(checksumOf(whole));
  return Buffer.concat([whole, end]);
}
