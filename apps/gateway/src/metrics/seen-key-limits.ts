import type { Caller } from "../call/caller.ts";
import type { RateLimiter } from "../limits/rate-limiter.ts";
import { MAX_SERIES } from "./series-family.ts";

/** Remaining limit of a key for one model. */
interface KeyLimitLeft {
  readonly keyId: string;
  readonly model: string;
  readonly left: number;
}

/** Tracks the callers whose keys have per-model limits. */
export class SeenKeyLimits {
  readonly #byKey = new Map<string, Caller>();

  see(caller: Caller): void {
    const { modelRpm, modelTpm } = caller.limits.key;
    const hasLimits = Object.keys(modelRpm).length > 0 || Object.keys(modelTpm).length > 0;
    if (!hasLimits) this.#byKey.delete(caller.keyId);
    else if (this.#byKey.size < MAX_SERIES || this.#byKey.has(caller.keyId)) this.#byKey.set(caller.keyId, caller);
  }

  /** Yields the remaining limits as known to this process. */
  *leftOf(kind: "requests" | "tokens", limiter: Pick<RateLimiter, "limitsOf" | "leftOf">): Generator<KeyLimitLeft> {
    for (const caller of this.#byKey.values()) {
      const { modelRpm, modelTpm } = caller.limits.key;
      const set = limiter.limitsOf(caller);
      for (const model of Object.keys(kind === "requests" ? modelRpm : modelTpm)) {
        const limit = set?.of(model).find(({ scope, type }) => scope === "model_per_key" && type === kind);
        if (limit !== undefined) yield { keyId: caller.keyId, model, left: limiter.leftOf(limit) };
      }
    }
  }
}
