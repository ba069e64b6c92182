import type { Caller } from "../pipeline/caller.ts";
import type { RateLimiter } from "../rate-limits/rate-limiter.ts";
import { MAX_SERIES } from "./series-family.ts";

/** What a key has left of its limit for one model. */
export interface KeyLimitLeft {
  readonly keyId: string;
  readonly model: string;
  readonly left: number;
}

/** The keys that called and have limits for single models. */
export class SeenKeyLimits {
  readonly #byKey = new Map<string, Caller>();

  see(caller: Caller): void {
    const { modelRpm, modelTpm } = caller.limits.key;
    const hasLimits = Object.keys(modelRpm).length > 0 || Object.keys(modelTpm).length > 0;
    if (!hasLimits) this.#byKey.delete(caller.keyId);
    else if (this.#byKey.size < MAX_SERIES || this.#byKey.has(caller.keyId)) this.#byKey.set(caller.keyId, caller);
  }

  /** What is left of those limits now, as far as this process knows. */
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
