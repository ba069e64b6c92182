import { limitsRates, targetWeights } from "./create-route-group.ts";
import type { FailureClass } from "./failure-class.ts";
import type { GroupRules, RefusalReason, RouteGroup, RouteTarget, RoutingOptions } from "./route-types.ts";

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
  if (group.isPlain && options.regions === null && options.rank === null && areHealthy(targets)) {
    return pickTarget(targets, group.weights, rules, options, nowMs, random);
  }
  return chooseAnother(group, options, nowMs, random, [], "last");
}

/**
 * Reports whether the router could choose this target now. A session stays on its target only while the target is
 * available, fully supports the request, and belongs to the lowest level that is available.
 */
export function canChoose<T extends RouteTarget>(
  group: RouteGroup<T>,
  target: T,
  options: RoutingOptions,
  nowMs: number,
): boolean {
  if (!isUsable(target, group, nowMs) || !hasSlot(target)) return false;
  if (limitsRates(group.rules) && !hasCapacity(target, options, nowMs)) return false;
  if (options.rank !== null && options.rank(target) !== 0) return false;
  const level = levelOf(target);
  if (group.targets.some((other) => levelOf(other) < level && isUsable(other, group, nowMs))) return false;
  return !(fitTargets([target], group, options, nowMs) instanceof RouteRefusal);
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
  const higher = above === null ? eligible : eligible.filter((target) => levelOf(target) > above);
  let busy: readonly T[] = [];
  for (const able of bestFirst(higher, options)) {
    const level = lowestLevel(able);
    const roomy = level.filter(
      (target) => hasSlot(target) && (!limitsRates(group.rules) || hasCapacity(target, options, nowMs)),
    );
    if (roomy.length === 0) {
      busy = [...busy, ...level];
      continue;
    }
    const preferred = group.rules.strategy === "cost-based-routing" ? preferRoom(roomy, options, nowMs) : roomy;
    return pickFromSubset(preferred, group.rules, options, nowMs, random);
  }
  return busyRefusal(busy, nowMs);
}

/** Returns the targets that support all of the request, then those that can serve it less well. */
function bestFirst<T extends RouteTarget>(targets: readonly T[], { rank }: RoutingOptions): readonly (readonly T[])[] {
  if (rank === null) return [targets];
  const ranks = targets.map(rank);
  return ([0, 1] as const)
    .map((wanted) => targets.filter((_, index) => ranks[index] === wanted))
    .filter((able) => able.length > 0);
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

/** Applies tags, regions, what the request needs, and pre-call checks. */
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
  const { rank } = options;
  const able = rank === null ? near : near.filter((target) => rank(target) < 2);
  if (able.length === 0) return new RouteRefusal("unsupported");
  if (!router.checksBeforeCall) return able;
  const large = able.filter((target) => target.maxInputTokens === null || target.maxInputTokens >= options.inputTokens);
  if (large.length === 0) return new RouteRefusal("context_window");
  const checked = large.filter(
    (target) => isBelowRpm(target, nowMs) && (!options.wantsResponseSchema || target.supportsResponseSchema),
  );
  return checked.length === 0 ? new RouteRefusal("pre_call", untilNextMinute(nowMs)) : checked;
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

/**
 * Assumed price for targets without a known price, so that they rank last: five dollars per input token and per output
 * token.
 */
const UNKNOWN_PRICE_SUM = 10_000_000_000_000n;

/** Picks a target by the group's strategy, without allocating objects. */
function pickTarget<T extends RouteTarget>(
  targets: readonly T[],
  weights: readonly number[] | null,
  rules: GroupRules,
  options: RoutingOptions,
  nowMs: number,
  random: () => number,
): T {
  if (targets.length === 1) return targets[0] as T;
  switch (rules.strategy) {
    case "simple-shuffle":
      return pickByWeight(targets, weights, random);
    case "least-busy":
      return pickLeastBusy(targets, random);
    case "latency-based-routing":
      return pickQuickest(targets, rules, options.isStream, nowMs, random);
    case "usage-based-routing-v2":
      return pickLeastUsed(targets, nowMs, random);
    case "cost-based-routing":
      return pickCheapest(targets, random);
  }
}

/** Picks from a subset of the group, after computing the weights. */
function pickFromSubset<T extends RouteTarget>(
  targets: readonly T[],
  rules: GroupRules,
  options: RoutingOptions,
  nowMs: number,
  random: () => number,
): T {
  const weights = rules.strategy === "simple-shuffle" && targets.length > 1 ? targetWeights(targets) : null;
  return pickTarget(targets, weights, rules, options, nowMs, random);
}

function pickByWeight<T>(targets: readonly T[], weights: readonly number[] | null, random: () => number): T {
  if (weights === null) return targets[Math.floor(random() * targets.length)] as T;
  let total = 0;
  for (const weight of weights) total += weight;
  let point = random() * total;
  let last = 0;
  for (let index = 0; index < weights.length; index += 1) {
    const weight = weights[index] as number;
    if (weight === 0) continue;
    last = index;
    point -= weight;
    if (point < 0) break;
  }
  return targets[last] as T;
}

function pickLeastBusy<T extends RouteTarget>(targets: readonly T[], random: () => number): T {
  let best = targets[0] as T;
  let ties = 1;
  for (let index = 1; index < targets.length; index += 1) {
    const target = targets[index] as T;
    if (target.state.inFlight > best.state.inFlight) continue;
    ties = target.state.inFlight === best.state.inFlight ? ties + 1 : 1;
    if (isDrawn(ties, random)) best = target;
  }
  return best;
}

function pickLeastUsed<T extends RouteTarget>(targets: readonly T[], nowMs: number, random: () => number): T {
  let best = targets[0] as T;
  let least = best.state.tokensThisMinute(nowMs);
  let ties = 1;
  for (let index = 1; index < targets.length; index += 1) {
    const target = targets[index] as T;
    const tokens = target.state.tokensThisMinute(nowMs);
    if (tokens > least) continue;
    ties = tokens === least ? ties + 1 : 1;
    least = tokens;
    if (isDrawn(ties, random)) best = target;
  }
  return best;
}

function pickCheapest<T extends RouteTarget>(targets: readonly T[], random: () => number): T {
  let best = targets[0] as T;
  let least = best.priceSum ?? UNKNOWN_PRICE_SUM;
  let ties = 1;
  for (let index = 1; index < targets.length; index += 1) {
    const target = targets[index] as T;
    const price = target.priceSum ?? UNKNOWN_PRICE_SUM;
    if (price > least) continue;
    ties = price === least ? ties + 1 : 1;
    least = price;
    if (isDrawn(ties, random)) best = target;
  }
  return best;
}

/** Picks randomly among the targets within the buffer of the best latency. */
function pickQuickest<T extends RouteTarget>(
  targets: readonly T[],
  rules: GroupRules,
  isStream: boolean,
  nowMs: number,
  random: () => number,
): T {
  let least = Number.POSITIVE_INFINITY;
  for (const target of targets) {
    least = Math.min(least, target.state.meanLatency(nowMs, rules.latencyTtlMs, isStream));
  }
  const limit = least * (1 + rules.latencyBuffer);
  let picked = targets[0] as T;
  let good = 0;
  for (const target of targets) {
    if (target.state.meanLatency(nowMs, rules.latencyTtlMs, isStream) > limit) continue;
    good += 1;
    if (isDrawn(good, random)) picked = target;
  }
  return picked;
}

/** Reservoir sampling: reports whether the newest of `count` equal candidates replaces the current one. */
function isDrawn(count: number, random: () => number): boolean {
  return count === 1 || random() * count < 1;
}
