import { createHash } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Exchange } from "../../conformance/play/exchange.ts";
import { type Sdk, Subject } from "../../conformance/play/subject.ts";
import { forgetPeak, readPeak, readResident } from "./process-memory.ts";

/**
 * A measurement. `times` is the growth in process memory as a multiple of `baseBytes`, and `most` is the maximum
 * allowed value of `times`.
 */
export interface MemoryFigure {
  readonly sdk: Sdk;
  readonly what: string;
  readonly baseBytes: number;
  readonly idleBytes: number;
  readonly peakBytes: number;
  readonly times: number;
  readonly most: number;
}

interface EchoPlan {
  readonly form: "frames" | "json";
  readonly rawBytes: number;
}

const FRAMES_TYPE = "application/vnd.tollgate.frames";
/** Chunk size. It is divisible by three, so that no chunk needs base64 padding. */
const PIECE_BYTES = 3 * 256 * 1024;

/** Sends parameters to a train function that returns them, and reads the whole response. */
export async function measureEcho(sdk: Sdk, plan: EchoPlan, most: number): Promise<MemoryFigure> {
  const rawBytes = plan.rawBytes - (plan.rawBytes % PIECE_BYTES);
  const subject = await Subject.start(sdk, {});
  try {
    await new Exchange(subject.port, { path: "/healthz" }).answer;
    const idleBytes = readResident(subject.pid);
    forgetPeak(subject.pid);
    await echo(subject.port, { ...plan, rawBytes });
    const peakBytes = readPeak(subject.pid);
    const times = (peakBytes - idleBytes) / rawBytes;
    return { sdk, what: `${plan.form} there and back`, baseBytes: rawBytes, idleBytes, peakBytes, times, most };
  } finally {
    await subject.stop();
  }
}

async function echo(port: number, { form, rawBytes }: EchoPlan): Promise<void> {
  const piece = makePiece();
  const sha256 = hashPieces(piece, rawBytes);
  const isFrames = form === "frames";
  const type = isFrames ? FRAMES_TYPE : "application/json";
  const headers = { "content-type": type, accept: type };
  const sending = request({ port, host: "127.0.0.1", method: "POST", path: "/train", headers });
  const answered = once(sending, "response") as Promise<[IncomingMessage]>;
  const body = isFrames ? writeFrames(piece, rawBytes, sha256) : writeJson(piece, rawBytes);
  await pipeline(Readable.from(body, { objectMode: false, highWaterMark: 1 }), sending);
  const [answer] = await answered;
  let length = 0;
  for await (const chunk of answer) length += (chunk as Buffer).length;
  const least = isFrames ? rawBytes : (rawBytes / 3) * 4;
  if (answer.statusCode !== 200 || length < least || answer.headers["x-parameters-sha256"] !== sha256) {
    throw new Error(`status ${answer.statusCode} with ${length} bytes, which are not what was sent`);
  }
}

function* writeJson(piece: Buffer, rawBytes: number): Iterable<Buffer> {
  yield Buffer.from('{"dataset":[],"parameters":"');
  const base64 = Buffer.from(piece.toString("base64"));
  for (let sent = 0; sent < rawBytes; sent += PIECE_BYTES) yield base64;
  yield Buffer.from('"}');
}

function* writeFrames(piece: Buffer, rawBytes: number, sha256: string): Iterable<Buffer> {
  const frames = [{ length: rawBytes, sha256 }];
  const header = Buffer.from(JSON.stringify({ dataset: [], parameters: { $frame: 0 }, frames }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  yield Buffer.concat([Buffer.from("TGF1"), length, header]);
  for (let sent = 0; sent < rawBytes; sent += PIECE_BYTES) yield piece;
}

function hashPieces(piece: Buffer, rawBytes: number): string {
  const hash = createHash("sha256");
  for (let hashed = 0; hashed < rawBytes; hashed += PIECE_BYTES) hash.update(piece);
  return hash.digest("hex");
}

/** Returns random bytes, which can't be compressed or deduplicated. */
function makePiece(): Buffer {
  const piece = Buffer.alloc(PIECE_BYTES);
  for (let index = 0; index < piece.length; index += 1) piece[index] = (index * 2_654_435_761) >>> 24;
  return piece;
}
