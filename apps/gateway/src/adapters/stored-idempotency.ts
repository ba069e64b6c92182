import { createHash, randomUUID } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { isDatabaseUnavailable } from "@tollgate/db/database-errors.ts";
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
} from "../call/idempotency-claims.ts";
import { IdempotencyWatch } from "./idempotency-watch.ts";

/** Renewal interval: a fraction of the 15-second lease. */
const RENEW_MS = 4_000;
/** Maximum size of a stored response. */
const MAX_ANSWER_BYTES = 1024 * 1024;

interface StoredIdempotencyParts {
  /** Connects with the gateway's role. The database restricts each caller to its own rows. */
  readonly db: Database;
  readonly sealer: SecretBox;
  /**
   * Called when a claim can't be renewed, completed, or released. The outcome for the claim's key is then reported as
   * unknown.
   */
  readonly onTrouble: (error: unknown) => void;
}

/** Result of a claim. The response is decrypted once for all calls that share the query. */
type Found =
  | Exclude<FirstCall, { kind: "answered" }>
  | { kind: "answered"; bodyDigest: Buffer; answer: ReplayedResponse };

/** Stores claims in Postgres. Calls in this process with the same key share a query, and one poll covers all keys. */
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

  /** Stops renewing claims. */
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
      // The claim may have succeeded although the database's response was lost. The request has not been sent upstream
      // yet, so release the claim.
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
      // The response exists, but its encryption key is no longer available.
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

/** Encryption purpose of idempotent responses, so that a ciphertext can't be used for another purpose. */
const PURPOSE = "idempotent answer";

/**
 * Converts a claim's result to the result that other calls with the same key get. If the claim succeeded, those calls
 * wait for the call that made the claim.
 */
function seenByOthers(found: Found, { bodyDigest }: { bodyDigest: Buffer }): Exclude<Found, { kind: "first" }> {
  return found.kind === "first" ? { kind: "running", bodyDigest } : found;
}

/** Returns a digest that identifies calls in this process that can share a query. */
function nameOf({ owner, operation, keyDigest }: IdempotencyRequest): string {
  return createHash("sha256").update(`${owner}\n${operation}\n`).update(keyDigest).digest("hex");
}

function away(cause: unknown): Failure {
  return new Failure("DB_TIMEOUT", "The database is not responding, so the request was not sent. Try again shortly.", {
    cause,
  });
}
