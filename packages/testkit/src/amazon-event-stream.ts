import { crc32 } from "node:zlib";

/** Content type of Amazon event streams. */
export const AMAZON_EVENTS = { "content-type": "application/vnd.amazon.eventstream" } as const;

/** Encodes one frame of Amazon's binary event stream format, according to its documentation. */
export function amazonFrame(headers: Readonly<Record<string, string>>, payload: unknown): Buffer {
  const written = Buffer.concat(Object.entries(headers).map(([name, value]) => stringHeader(name, value)));
  const body = Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload), "utf8");
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(12 + written.length + body.length + 4, 0);
  prelude.writeUInt32BE(written.length, 4);
  const whole = Buffer.concat([prelude, checksum(prelude), written, body]);
  return Buffer.concat([whole, checksum(whole)]);
}

/** Encodes an event frame. */
export function amazonEvent(type: string, payload: unknown): Buffer {
  const headers = { ":event-type": type, ":content-type": "application/json", ":message-type": "event" };
  return amazonFrame(headers, payload);
}

/** Encodes an exception frame for a failure in the middle of a stream. */
export function amazonException(type: string, payload: unknown): Buffer {
  const headers = { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" };
  return amazonFrame(headers, payload);
}

/** Builds a Converse API text response, as frames. */
export function converseFrames(pieces: readonly string[], usage: object = DEFAULT_USAGE): Buffer[] {
  return [
    amazonEvent("messageStart", { role: "assistant" }),
    ...pieces.map((text) => amazonEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text }, p: "abcdefgh" })),
    amazonEvent("contentBlockStop", { contentBlockIndex: 0 }),
    amazonEvent("messageStop", { stopReason: "end_turn" }),
    amazonEvent("metadata", { usage, metrics: { latencyMs: 12 } }),
  ];
}

/** Builds a complete Converse API response. */
export function converseAnswer(
  content: readonly object[],
  stopReason = "end_turn",
  usage: object = DEFAULT_USAGE,
): object {
  return { output: { message: { role: "assistant", content } }, stopReason, usage, metrics: { latencyMs: 12 } };
}

const DEFAULT_USAGE = { inputTokens: 9, outputTokens: 5, totalTokens: 14 };

function stringHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([7]),
    length,
    Buffer.from(value),
  ]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
