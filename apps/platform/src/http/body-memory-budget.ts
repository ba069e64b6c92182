import { Failure } from "@tollgate/contracts/failures.ts";

const MEBIBYTE = 1024 * 1024;
/** This process's memory limit across all users. */
const MAX_BYTES = 256 * MEBIBYTE;
const MAX_BYTES_PER_PERSON = 64 * MEBIBYTE;
const MAX_CALLS_PER_PERSON = 16;

/** Limits the memory for large request bodies in flight, per user and in total. */
export class BodyMemoryBudget {
  readonly #people = new Map<number, { calls: number; bytes: number }>();
  #bytes = 0;

  /** Reserves memory before a body is read and returns a function that releases it. Throws at capacity. */
  take(userId: number, bytes: number): () => void {
    const own = this.#people.get(userId) ?? { calls: 0, bytes: 0 };
    if (own.calls >= MAX_CALLS_PER_PERSON || own.bytes + bytes > MAX_BYTES_PER_PERSON) {
      throw new Failure(
        "RATE_LIMITED",
        `A user can have at most ${MAX_CALLS_PER_PERSON} such requests in flight, with ${MAX_BYTES_PER_PERSON / MEBIBYTE} MB in total. Try again when one finishes.`,
        { retryAfterMs: 1_000 },
      );
    }
    if (this.#bytes + bytes > MAX_BYTES) {
      throw new Failure("UNAVAILABLE", "This instance is at capacity. Try again shortly.", {
        retryAfterMs: 1_000,
      });
    }
    this.#people.set(userId, own);
    this.#add(own, 1, bytes);
    return () => {
      this.#add(own, -1, -bytes);
      if (own.calls === 0) this.#people.delete(userId);
    };
  }

  #add(own: { calls: number; bytes: number }, calls: number, bytes: number): void {
    own.calls += calls;
    own.bytes += bytes;
    this.#bytes += bytes;
  }
}

/** Returns the body length from the request headers, or the limit if the headers don't state it. */
export function announcedBytes(contentLength: string | undefined, limitBytes: number): number {
  return Math.min(limitBytes, Number(contentLength ?? limitBytes));
}
