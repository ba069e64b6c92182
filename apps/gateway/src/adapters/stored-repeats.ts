import { createHash, randomUUID } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { isDatabaseUnavailable } from "@tollgate/db/database-away.ts";
import {
  type CallClaim,
  claimCall,
  type FirstCall,
  releaseCall,
  renewCalls,
  saveIdempotentCall,
} from "@tollgate/db/idempotency/idempotent-calls.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import type {
  IdempotencyClaim,
  IdempotencyClaims,
  IdempotencyOutcome,
  IdempotencyRequest,
  ReplayedResponse,
} from "../pipeline/answer/repeat-claims.ts";
import { IdempotencyWatch } from "./repeat-watch.ts";

/** Several times within the lease of fifteen seconds. */
const RENEW_MS = 4_000;
/** A longer answer is not kept. */
const MAX_ANSWER_BYTES = 1024 * 1024;

export interface StoredIdempotencyParts {
  /** In the gateway's role: the database itself keeps each caller to their own. */
  readonly db: Database;
  readonly sealer: SecretBox;
  /** A claim could not be renewed or ended; its key answers that nobody knows what became of it. */
  readonly onTrouble: (error: unknown) => void;
}

/** What a claim found, with the answer opened, once for all that asked together. */
type Found =
  | Exclude<FirstCall, { kind: "answered" }>
  | { kind: "answered"; bodyDigest: Buffer; answer: ReplayedResponse };

/**
 * Claims in Postgres. Calls of this process with the same key ask together: however many wait, there is one question to
 * the database, and one for all keys that are waited for.
 */
export class StoredIdempotency implements IdempotencyClaims {
  readonly #parts: StoredIdempotencyParts;
  readonly #watch: IdempotencyWatch;
  readonly #asking = new Map<string, { readonly found: Promise<Found>; readonly bodyDigest: Buffer }>();
  readonly #held = new Set<string>();
  #renewing: NodeJS.Timeout | null = null;

  constructor(parts: StoredIdempotencyParts) {
    this.#parts = parts;
    this.#watch = new IdempotencyWatch(parts.db);
  }

  async claim(request: IdempotencyRequest, givingUp: AbortSignal): Promise<IdempotencyOutcome> {
    const name = nameOf(request);
    for (;;) {
      const claim: CallClaim = { ...request, claim: randomUUID() };
      const others = this.#asking.get(name);
      const found = others === undefined ? await this.#askAlone(name, claim) : seenByOthers(await others.found, others);
      if (found.kind === "first") return { kind: "first", claim: this.#hold(name, claim) };
      if (!found.bodyDigest.equals(request.bodyDigest)) return { kind: "other_body" };
      if (found.kind === "answered") return { kind: "answered", answer: found.answer };
      if (found.kind !== "running") return { kind: found.kind };
      if (givingUp.aborted) return { kind: "running" };
      await this.#watch.change(name, request, givingUp);
      if (givingUp.aborted) return { kind: "running" };
    }
  }

  /** Nothing is renewed any more. */
  close(): void {
    if (this.#renewing !== null) clearInterval(this.#renewing);
    this.#watch.close();
  }

  async #askAlone(name: string, claim: CallClaim): Promise<Found> {
    const found = this.#ask(claim);
    this.#asking.set(name, { found, bodyDigest: claim.bodyDigest });
    try {
      return await found;
    } finally {
      this.#asking.delete(name);
    }
  }

  async #ask(claim: CallClaim): Promise<Found> {
    try {
      return this.#open(await claimCall(this.#parts.db, claim));
    } catch (error) {
      // Perhaps it was claimed and only the answer was lost; nothing has been sent anywhere yet.
      releaseCall(this.#parts.db, claim).catch(() => {});
      throw isDatabaseUnavailable(error) ? away(error) : error;
    }
  }

  #open(first: FirstCall): Found {
    if (first.kind !== "answered") return first;
    try {
      const [status, contentType = "", ...text] = this.#parts.sealer.open(first.answer, PURPOSE).split("\n");
      return { ...first, answer: { status: Number(status), contentType, text: text.join("\n") } };
    } catch (error) {
      // Sealed under a key that is gone: it was answered, and nobody can tell what.
      this.#parts.onTrouble(error);
      return { kind: "cut_off", bodyDigest: first.bodyDigest };
    }
  }

  #hold(name: string, claim: CallClaim): IdempotencyClaim {
    const { db, sealer, onTrouble } = this.#parts;
    this.#held.add(claim.claim);
    this.#renewing ??= setInterval(() => this.#renew(), RENEW_MS).unref();
    let hasEnded = false;
    const end = async (write: () => Promise<unknown>) => {
      if (hasEnded) return;
      hasEnded = true;
      try {
        await write();
      } catch (error) {
        onTrouble(error);
      } finally {
        this.#held.delete(claim.claim);
        this.#watch.wake(name);
      }
    };
    return {
      keep: ({ status, contentType, text }) =>
        end(() => {
          const isTooLong = text.length > MAX_ANSWER_BYTES;
          return saveIdempotentCall(
            db,
            claim,
            isTooLong ? null : sealer.seal(`${status}\n${contentType}\n${text}`, PURPOSE),
          );
        }),
      release: () => end(() => releaseCall(db, claim)),
    };
  }

  #renew(): void {
    if (this.#held.size === 0) {
      if (this.#renewing !== null) clearInterval(this.#renewing);
      this.#renewing = null;
      return;
    }
    renewCalls(this.#parts.db, [...this.#held]).catch(this.#parts.onTrouble);
  }
}

/** What answers are sealed for: nothing else opens them. */
const PURPOSE = "idempotent answer";

/** What somebody else found: where they became the first, everyone else waits for them. */
function seenByOthers(found: Found, { bodyDigest }: { bodyDigest: Buffer }): Exclude<Found, { kind: "first" }> {
  return found.kind === "first" ? { kind: "running", bodyDigest } : found;
}

/** By what calls with the same key know each other in this process. */
function nameOf({ owner, operation, keyDigest }: IdempotencyRequest): string {
  return createHash("sha256").update(`${owner}\n${operation}\n`).update(keyDigest).digest("hex");
}

function away(cause: unknown): Failure {
  return new Failure("DB_TIMEOUT", "The database is not responding, so the request was not sent. Try again shortly.", {
    cause,
  });
}
