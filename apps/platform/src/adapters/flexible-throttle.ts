import { ManagementFailure } from "@tollgate/contracts/management/failure.ts";
import type { RateClass } from "@tollgate/contracts/management/operation.ts";
import { networkOf } from "@tollgate/domain/client-address.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { RedisClientType } from "redis";
import { type RateLimitState, rateLimitHeaders, type Throttle } from "../http/throttle.ts";

const MINUTE = 60;
const HOUR = 3_600;
/** The API contract defines this limit. It applies per IP address, because the user isn't known before login. */
const FORM_LOGINS_PER_MINUTE = 5;

interface Rule {
  readonly points: number;
  readonly seconds: number;
  readonly by: "user" | "address";
}

/**
 * Creates a throttle that counts in Redis, if configured, so that processes share limits. While Redis is unavailable,
 * each process counts separately.
 */
export function createThrottle(limits: PlatformSettings["limits"], redis: RedisClientType | null): Throttle {
  const perUser = { points: limits.callsPerMinutePerUser, seconds: MINUTE, by: "user" } as const;
  const perAddress = { points: limits.openCallsPerMinutePerAddress, seconds: MINUTE, by: "address" } as const;
  const rules: Readonly<Record<Exclude<RateClass, "unlimited" | "read" | "write" | "invite">, Rule>> = {
    login: { points: limits.loginsPerMinutePerAddress, seconds: MINUTE, by: "address" },
    "form-login": { points: FORM_LOGINS_PER_MINUTE, seconds: MINUTE, by: "address" },
    "sign-up": { points: limits.signUpsPerHourPerAddress, seconds: HOUR, by: "address" },
    reset: { points: limits.resetsPerHourPerAddress, seconds: HOUR, by: "address" },
  };
  const limiters = new Map<Rule, RateLimiterAbstract>();
  const limiterOf = (rule: Rule, name: string): RateLimiterAbstract => {
    let limiter = limiters.get(rule);
    if (limiter === undefined) {
      const options = { keyPrefix: `tollgate:${name}`, points: rule.points, duration: rule.seconds };
      const memory = new RateLimiterMemory(options);
      limiter =
        redis === null
          ? memory
          : new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory, useRedisPackage: true });
      limiters.set(rule, limiter);
    }
    return limiter;
  };
  return {
    take: async (rate, { userId, ip }) => {
      if (rate === "unlimited") return { limit: 0, remaining: 0, resetSeconds: 0 };
      const general = userId === null ? perAddress : perUser;
      const rule = rate in rules ? rules[rate as keyof typeof rules] : general;
      const who = rule.by === "user" ? String(userId) : networkOf(ip);
      const name = rule === perUser ? "calls" : rule === perAddress ? "open" : rate;
      return take(limiterOf(rule, name), who, rule);
    },
  };
}

async function take(limiter: RateLimiterAbstract, who: string, rule: Rule): Promise<RateLimitState> {
  try {
    return toRateLimitState(await limiter.consume(who), rule);
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    const state = toRateLimitState(refused, rule);
    const { resetSeconds } = state;
    throw new ManagementFailure(
      "RATE_LIMITED",
      `Rate limit of ${rule.points} requests per ${rule.seconds === MINUTE ? "minute" : "hour"} per ${rule.by === "user" ? "user" : "IP address"} exceeded. Try again in ${resetSeconds} s.`,
      {
        retryAfterSeconds: resetSeconds,
        headers: rateLimitHeaders(state),
        details: { limit: rule.points, seconds: rule.seconds, per: rule.by },
      },
    );
  }
}

function toRateLimitState(result: RateLimiterRes, rule: Rule): RateLimitState {
  return {
    limit: rule.points,
    remaining: Math.max(0, result.remainingPoints),
    resetSeconds: Math.ceil(result.msBeforeNext / 1_000),
  };
}
