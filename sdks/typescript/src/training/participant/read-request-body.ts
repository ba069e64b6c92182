import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { BadRequest, type ParticipantFailure } from "../participant-failure.ts";
import { tooLarge } from "../wire/malformed.ts";
import type { WireForm } from "../wire/wire-body.ts";

/** How slow a sender may be. */
export interface Patience {
  readonly silenceMs: number;
  /** A sender gets this long to come up to speed. */
  readonly startMs: number;
  readonly bytesPerMs: number;
}

/** How long a packed body may be before it is inflated: one may inflate to nothing, and would never be too large. */
export interface PackedLimit {
  readonly form: WireForm;
  readonly maxBytes: number;
}

const PATIENCE: Patience = { silenceMs: 30_000, startMs: 60_000, bytesPerMs: 1 };

/** The body in pieces, inflated if it was packed. `onStalled` is called when its sender gives up sending, or pretends to. */
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
    // The request must outlive a body that is refused half way: its answer goes through the same socket.
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
  // Its error is the one that reading from gunzip throws below.
  feeding.catch(() => {});
  try {
    for await (const piece of gunzip) yield piece as Uint8Array;
  } catch (error) {
    const isPacking = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
    throw isPacking ? new BadRequest("the body is not valid gzip") : error;
  }
}
