import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { CallBody } from "./call-body.ts";

/** The response to an earlier identical call, in the form that this call requested. */
export interface CachedAnswer {
  /** The body, or all frames of a stream, with one character per byte. */
  readonly text: string;
  readonly contentType: string;
  /** The deployment that produced the response. */
  readonly deploymentId: string;
}

/** A complete response as sent to the client: the body, or all frames of a stream. */
export interface SentAnswer extends CachedAnswer {
  readonly usage: Usage;
}

/** The cache entry for one call. */
export interface CacheEntry {
  /** Header lines of the response, for a cache miss and for a cache hit. */
  readonly missLines: string;
  readonly hitLines: string;
  /** Maximum size of a cached response. Longer responses need not be collected. */
  readonly mostBytes: number;
  /** The request before cached parts were removed; null if none were found. A fallback group gets the whole request. */
  readonly wholeBody: CallBody | null;
  /**
   * Merges the response to a partial request with the cached parts. Returns most responses unchanged. Throws a Failure
   * if the response doesn't match the partial request.
   */
  complete(text: string): string;
  /** Caches a complete response for identical calls. Never throws and never blocks. */
  keep(answer: SentAnswer): void;
}
