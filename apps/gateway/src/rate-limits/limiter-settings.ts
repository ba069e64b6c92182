import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { RateLimiterSettings } from "./rate-limiter.ts";

/** Margin by which a slot lease outlasts the longest call, so that only a crashed process's leases expire. */
const LEASE_MARGIN_MS = 60_000;

/** Returns the limiter's settings, built once per settings version. */
export function limiterSettings(current: () => Settings): () => RateLimiterSettings {
  let source: Settings | null = null;
  let made = {} as RateLimiterSettings;
  return () => {
    const settings = current();
    if (settings === source) return made;
    source = settings;
    made = {
      windowMs: settings.general.rateLimitWindowSeconds * 1_000,
      slotLeaseMs: settings.router.totalTimeoutSeconds * 1_000 + LEASE_MARGIN_MS,
      keyMaxParallel: settings.general.maxParallelRequests,
    };
    return made;
  };
}
