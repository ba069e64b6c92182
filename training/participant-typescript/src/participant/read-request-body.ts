import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { BadRequest, type ParticipantFailure } from "../participant-failure.ts";
import { tooLarge } from "../wire/malformed.ts";
import type { WireForm } from "../wire/wire-body.ts";

/** Limits for slow senders. */
export interface Patience {
  readonly silenceMs: number;
  /** Time before the minimum rate applies. */
  readonly startMs: number;
  readonly bytesPerMs: number;
}

/**
 * Size limit of a compressed body. The limit after decompression isn't enough, because a body can inflate to zero
 * bytes.
 */
interface PackedLimit {
  readonly form: WireForm;
  readonly maxBytes: number;
}

const PATIENCE: Patience = { silenceMs: 30_000, startMs: 60_000, bytesPerMs: 1 };

/** Yields the body in pieces, decompressed if needed. Calls `onStalled` if the sender stops or is too slow. */
export function readRequestBody(
  request: IncomingMessage,
  packed: PackedLimit | undefined,
  onStalled: (failure: ParticipantFailure) => void,
  patience: Patience = PATIENCE,
): AsyncIterable<Uint8Array> {
  const pieces = readPieces(request, onStalled, patience);
  return packed === undefined ? pieces : inflate(limitPacked(pieces, packed));
}

async function* readPieces(
  request: IncomingMessage,
  onStalled: (failure: ParticipantFailure) => void,
  { silenceMs, startMs, bytesPerMs }: Patience,
): AsyncGenerator<Uint8Array> {
  const stall = (): void => onStalled(new BadRequest("the body stopped arriving"));
  const timer = setTimeout(stall, silenceMs);
  const startedAt = performance.now();
  let received = 0;
  try {
    // Keep the request alive if its body is rejected midway, because the response uses the same socket.
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      const bytes = piece as Uint8Array;
      received += bytes.length;
      const elapsedMs = performance.now() - startedAt;
      if (elapsedMs > startMs && received < elapsedMs * bytesPerMs) stall();
      yield bytes;
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
  }
}

async function* limitPacked(
  pieces: AsyncIterable<Uint8Array>,
  { form, maxBytes }: PackedLimit,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > maxBytes) throw tooLarge(form, maxBytes);
    yield piece;
  }
}

async function* inflate(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  const feeding = pipeline(pieces, gunzip);
  // Reading from gunzip below throws the same error.
  feeding.catch(() => {});
  try {
    for await (const piece of gunzip) yield piece as Uint8Array;
  } catch (error) {
    const isPacking = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
    throw isPacking ? new BadRequest("the body is not valid gzip") : error;
  }
}
