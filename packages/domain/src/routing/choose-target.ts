import { limitsRates } from "./create-route-group.ts";
import { pickFromSubset, pickTarget } from "./pick-target.ts";
import type { FailureClass, RefusalReason, RouteGroup, RouteTarget, RoutingOptions } from "./route-types.ts";

const MINUTE_MS = 60_000;
/** Retry-After value if the time at which a slot becomes free or a trial ends is unknown. */
const SHORT_WAIT_MS = 1_000;
const DEFAULT_TAG = "default";

/** Reason why no target could be chosen, and when a target might be available. */
export class RouteRefusal {
  readonly reason: RefusalReason;
  /** Null if waiting doesn't help. */
  readonly retryAfterMs: number | null;

  constructor(reason: RefusalReason, retryAfterMs: number | null = null) {
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }

  /** Failure class that selects the fallbacks. A group without an available target counts as overloaded. */
  get class(): FailureClass {
    if (this.reason === "context_window") return "context_window";
    return this.reason === "cooling" || this.reason === "busy" || this.reason === "pre_call" ? "rate_limit" : "local";
  }
}

/** Chooses the target for a call's first attempt. If only health and the strategy matter, allocates no list. */
export function chooseTarget<T extends RouteTarget>(
  group: RouteGroup<T>,
  options: RoutingOptions,
  nowMs: number,
  random: () => number,
): T | RouteRefusal {
  const { targets, rules } = group;
  if (group.isPlain && options.regions === null && areHealthy(targets)) {
    return pickTarget(targets, group.weights, rules, options, nowMs, random);
  }
  return chooseAnother(group, options, nowMs, random, [], "last");
}

/**
 * Chooses among the targets that the rules permit. Targets that failed in this call come last, or are excluded. `above`
 * restricts the choice to higher `order` levels.
 */
export function chooseAnother<T extends RouteTarget>(
  group: RouteGroup<T>,
  options: RoutingOptions,
  nowMs: number,
  random: () => number,
  failed: readonly T[],
  failedAre: "last" | "left out",
  above: number | null = null,
): T | RouteRefusal {
  if (group.targets.length === 0) return new RouteRefusal("no_targets");
  const usable = group.targets.filter((target) => isUsable(target, group, nowMs));
  if (usable.length === 0) return coolingRefusal(group.targets, nowMs);
  const fitting = fitTargets(usable, group, options, nowMs);
  if (fitting instanceof RouteRefusal) {
    // If a target in cooldown would have fit, ask the caller to wait instead of reporting that no target exists.
    const isWorthWaiting = usable.length < group.targets.length;
    const all = isWorthWaiting ? fitTargets(group.targets, group, options, nowMs) : fitting;
    return all instanceof RouteRefusal ? fitting : coolingRefusal(all, nowMs);
  }
  const fresh = failed.length === 0 ? fitting : fitting.filter((target) => !failed.includes(target));
  const eligible = fresh.length === 0 && failedAre === "last" ? fitting : fresh;
  const level = lowestLevel(above === null ? eligible : eligible.filter((target) => levelOf(target) > above));
  const roomy = level.filter(
    (target) => hasSlot(target) && (!limitsRates(group.rules) || hasCapacity(target, options, nowMs)),
  );
  if (roomy.length === 0) return busyRefusal(level, nowMs);
  const preferred = group.rules.strategy === "cost-based-routing" ? preferRoom(roomy, options, nowMs) : roomy;
  return pickFromSubset(preferred, group.rules, options, nowMs, random);
}

/** Returns a target's level. Lower levels are used first, and targets without `order` are used last. */
export function levelOf(target: RouteTarget): number {
  return target.order ?? Number.POSITIVE_INFINITY;
}

function areHealthy(targets: readonly RouteTarget[]): boolean {
  for (const target of targets) if (target.state.cooledUntilMs !== 0) return false;
  return targets.length > 0;
}

function isUsable<T extends RouteTarget>(target: T, group: RouteGroup<T>, nowMs: number): boolean {
  return target.state.canBegin(nowMs) && !(group.rules.router.usesHealthChecks && target.state.isUnhealthy);
}

/** Applies tags, regions, and pre-call checks. */
function fitTargets<T extends RouteTarget>(
  targets: readonly T[],
  group: RouteGroup<T>,
  options: RoutingOptions,
  nowMs: number,
): readonly T[] | RouteRefusal {
  const { router } = group.rules;
  const tagged = router.filtersTags ? filterByTags(targets, options.tags, router.matchesAnyTag) : targets;
  if (tagged.length === 0) return new RouteRefusal("tags");
  const { regions } = options;
  // A target without a region could be anywhere.
  const near = regions === null ? tagged : tagged.filter(({ region }) => region !== null && regions.includes(region));
  if (near.length === 0) return new RouteRefusal("region");
  if (!router.checksBeforeCall) return near;
  const large = near.filter((target) => target.maxInputTokens === null || target.maxInputTokens >= options.inputTokens);
  if (large.length === 0) return new RouteRefusal("context_window");
  const able = large.filter(
    (target) => isBelowRpm(target, nowMs) && (!options.wantsResponseSchema || target.supportsResponseSchema),
  );
  return able.length === 0 ? new RouteRefusal("pre_call", untilNextMinute(nowMs)) : able;
}

function filterByTags<T extends RouteTarget>(
  targets: readonly T[],
  tags: readonly string[],
  matchesAny: boolean,
): readonly T[] {
  const defaults = targets.filter((target) => target.tags.includes(DEFAULT_TAG));
  if (tags.length === 0) return defaults.length > 0 ? defaults : targets;
  const matching = targets.filter((target) =>
    matchesAny ? tags.some((tag) => target.tags.includes(tag)) : tags.every((tag) => target.tags.includes(tag)),
  );
  return matching.length > 0 ? matching : defaults;
}

function lowestLevel<T extends RouteTarget>(targets: readonly T[]): readonly T[] {
  let lowest = Number.POSITIVE_INFINITY;
  for (const target of targets) lowest = Math.min(lowest, levelOf(target));
  return targets.filter((target) => levelOf(target) === lowest);
}

function hasSlot({ maxParallel, state }: RouteTarget): boolean {
  return maxParallel === null || state.inFlight < maxParallel;
}

function hasCapacity(target: RouteTarget, options: RoutingOptions, nowMs: number): boolean {
  if (!isBelowRpm(target, nowMs)) return false;
  if (target.tpm === null) return true;
  // Even a call of unknown size needs at least one token.
  return target.state.tokensThisMinute(nowMs) + Math.max(1, options.inputTokens) <= target.tpm;
}

function isBelowRpm({ rpm, state }: RouteTarget, nowMs: number): boolean {
  return rpm === null || state.requestsThisMinute(nowMs) < rpm;
}

/**
 * Prefers targets below their rates. Rates are not limits under this strategy, so the call proceeds even if no target
 * is below its rates.
 */
function preferRoom<T extends RouteTarget>(
  targets: readonly T[],
  options: RoutingOptions,
  nowMs: number,
): readonly T[] {
  const roomy = targets.filter((target) => hasCapacity(target, options, nowMs));
  return roomy.length > 0 ? roomy : targets;
}

function coolingRefusal(targets: readonly RouteTarget[], nowMs: number): RouteRefusal {
  let leastMs = Number.POSITIVE_INFINITY;
  for (const { state } of targets) if (state.isCooling(nowMs)) leastMs = Math.min(leastMs, state.cooledUntilMs - nowMs);
  return new RouteRefusal("cooling", Number.isFinite(leastMs) ? leastMs : SHORT_WAIT_MS);
}

function busyRefusal(targets: readonly RouteTarget[], nowMs: number): RouteRefusal {
  const needsSlot = targets.some((target) => !hasSlot(target));
  return new RouteRefusal("busy", needsSlot ? SHORT_WAIT_MS : untilNextMinute(nowMs));
}

function untilNextMinute(nowMs: number): number {
  return MINUTE_MS - (nowMs % MINUTE_MS);
}
