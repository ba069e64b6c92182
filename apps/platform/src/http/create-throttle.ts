import { Failure } from "@tollgate/contracts/failures.ts";
import type { RateClass } from "@tollgate/contracts/management/operation.ts";
import { networkOf } from "@tollgate/domain/client-address.ts";
import { Meters } from "@tollgate/domain/limits/meters.ts";
import type { SharedCounters } from "@tollgate/domain/limits/shared-counters.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { type RateLimitState, rateLimitHeaders, type Throttle } from "./throttle.ts";

const MINUTE = 60;
const HOUR = 3_600;
/** The API contract defines this limit. It applies per IP address, because the user isn't known before login. */
const FORM_LOGINS_PER_MINUTE = 5;

interface Rule {
  readonly name: string;
  readonly maximum: number;
  readonly seconds: number;
  readonly by: "user" | "address";
}

/** A window after a request was counted or refused. */
interface CountedWindow {
  readonly isRefused: boolean;
  readonly used: number;
  readonly remainingMs: number;
}

/**
 * Creates a throttle that counts in the shared store, if there is one, so that processes share limits. While the store
 * is unavailable, each process counts separately, up to the whole limit. `now` returns monotonic milliseconds.
 */
export function createThrottle(
  limits: PlatformSettings["limits"],
  shared: SharedCounters | null,
  now: () => number,
): Throttle {
  const perUser: Rule = { name: "calls", maximum: limits.callsPerMinutePerUser, seconds: MINUTE, by: "user" };
  const perAddress = (name: string, maximum: number, seconds: number): Rule => ({
    name,
    maximum,
    seconds,
    by: "address",
  });
  const open = perAddress("open", limits.openCallsPerMinutePerAddress, MINUTE);
  const rules: Readonly<Record<Exclude<RateClass, "unlimited">, Rule | null>> = {
    login: perAddress("login", limits.loginsPerMinutePerAddress, MINUTE),
    "form-login": perAddress("form-login", FORM_LOGINS_PER_MINUTE, MINUTE),
    "sign-up": perAddress("sign-up", limits.signUpsPerHourPerAddress, HOUR),
    reset: perAddress("reset", limits.resetsPerHourPerAddress, HOUR),
    read: null,
    write: null,
    invite: null,
  };
  const meters = new Meters(now);
  return {
    take: async (rate, { userId, ip }) => {
      if (rate === "unlimited") return { limit: 0, remaining: 0, resetSeconds: 0 };
      const rule = rules[rate] ?? (userId === null ? open : perUser);
      const key = `tollgate:throttle:{${rule.name}:${rule.by === "user" ? userId : networkOf(ip)}}`;
      const counted = shared === null ? null : await countShared(shared, key, rule);
      return readWindow(counted ?? countAlone(meters, key, rule, now()), rule);
    },
  };
}

/** Counts a request in the store. Returns null if the store doesn't respond. */
async function countShared(shared: SharedCounters, key: string, rule: Rule): Promise<CountedWindow | null> {
  // Without slices, `remaining` is exact in every response. With nothing owed or granted, the store's count is the only
  // one: requests that a process counted alone are not added later.
  const question = {
    kind: "window",
    key,
    maximum: rule.maximum,
    need: 1,
    owed: 0,
    startMs: 0,
    granted: 0,
    wantsSlice: false,
  } as const;
  try {
    const { refusedBy, counters } = await shared.ask([question], { windowMs: rule.seconds * 1_000, slotLeaseMs: 0 });
    const [state] = counters;
    return state === undefined ? null : { ...state, isRefused: refusedBy !== null };
  } catch {
    return null;
  }
}

function countAlone(meters: Meters, key: string, rule: Rule, nowMs: number): CountedWindow {
  const meter = meters.window(key);
  const isRefused = !meter.fitsAlone(1, rule.maximum, 1, nowMs);
  if (!isRefused) meter.spendAlone(1, rule.maximum, 1, rule.seconds * 1_000, nowMs);
  return { isRefused, used: meter.current, remainingMs: meter.remainingMs(nowMs) };
}

function readWindow({ isRefused, used, remainingMs }: CountedWindow, rule: Rule): RateLimitState {
  const resetSeconds = Math.ceil(remainingMs / 1_000);
  const state = { limit: rule.maximum, remaining: Math.max(0, rule.maximum - used), resetSeconds };
  if (!isRefused) return state;
  throw new Failure(
    "RATE_LIMITED",
    `Rate limit of ${rule.maximum} requests per ${rule.seconds === MINUTE ? "minute" : "hour"} per ${rule.by === "user" ? "user" : "IP address"} exceeded. Try again in ${resetSeconds} s.`,
    {
      retryAfterMs: resetSeconds * 1_000,
      headers: rateLimitHeaders(state),
      publicDetails: { limit: rule.maximum, seconds: rule.seconds, per: rule.by },
    },
  );
}
