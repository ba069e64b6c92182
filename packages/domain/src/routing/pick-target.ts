import { targetWeights } from "./create-route-group.ts";
import type { GroupRules, RouteTarget, RoutingOptions } from "./route-types.ts";

/**
 * Assumed price for targets without a known price, so that they rank last: five dollars per input token and per output
 * token.
 */
const UNKNOWN_PRICE_SUM = 10_000_000_000_000n;

/** Picks a target by the group's strategy, without allocating objects. */
export function pickTarget<T extends RouteTarget>(
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
export function pickFromSubset<T extends RouteTarget>(
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
