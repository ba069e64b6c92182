import { chooseAnother, levelOf, RouteRefusal } from "./choose-target.ts";
import { type FallbackPlan, leadsToFallbacks, planFallbacks } from "./fallback-plan.ts";
import { countRetries, needsAnotherTarget, waitBeforeRetry } from "./retry-rules.ts";
import type { RouteFailure, RouteGroup, RouteStep, RouteTarget, RoutingOptions } from "./route-types.ts";

/** Maximum number of upstream attempts per call, regardless of the settings. */
const MAX_UPSTREAM_CALLS = 6;

/** Starting point and limits of a call's route. */
interface RouteStart<T extends RouteTarget> {
  readonly group: RouteGroup<T>;
  /** The target that was called; null if no target could be chosen. */
  readonly target: T | null;
  readonly options: RoutingOptions;
  /** Deadline of the whole call. */
  readonly deadlineMs: number;
  /**
   * Returns the group for a name; null if the group doesn't exist, or if the request names a group that the caller
   * isn't allowed to use.
   */
  readonly findGroup: (name: string, isFromRequest: boolean) => RouteGroup<T> | null;
}

/** Purpose of an upstream call. */
type Role = "first" | "retry" | "level" | "fallback";

interface Position {
  readonly plan: FallbackPlan;
  next: number;
}

/**
 * Route of one call after its first failure: retries in its group, higher levels of the group, then other groups.
 * Created only when a call has failed. Call `end` when the call has ended.
 */
export class CallRoute<T extends RouteTarget> {
  /** Number of upstream calls made or proposed. */
  attempts: number;
  /** Number of additional attempts within a group. */
  retries = 0;
  /** Number of groups tried after the first group. */
  fallbacks = 0;
  /** Number of retries that the latest failure permits in its group. */
  maxRetries = 0;
  readonly #start: RouteStart<T>;
  #group: RouteGroup<T>;
  #target: T | null;
  /** Targets of the current group that failed or could not be used. */
  #failed: T[] = [];
  /** Targets of the current group that can't serve the request, so that a retry can't succeed there. */
  #unfit: readonly T[] = [];
  #groupRetries = 0;
  /** Highest level tried in the current group. */
  #level = Number.NEGATIVE_INFINITY;
  /** Names of groups that were tried or permanently skipped. */
  readonly #visited: string[];
  /** Stack of fallback lists, innermost last. */
  readonly #positions: Position[] = [];
  #role: Role = "first";
  #holdsBudget = false;
  #failure: RouteFailure = { class: "local", retryAfterMs: null };

  constructor(start: RouteStart<T>) {
    this.#start = start;
    this.#group = start.group;
    this.#target = start.target;
    this.#visited = [start.group.name];
    this.attempts = start.target === null ? 0 : 1;
  }

  /** Returns the next step after the latest upstream call failed, or after no target could be chosen. */
  next(failure: RouteFailure, nowMs: number, random: () => number): RouteStep<T> {
    this.end();
    this.#failure = failure;
    if (failure.class === "local" || nowMs >= this.#start.deadlineMs) return { kind: "stop" };
    const target = this.#target;
    this.#leaveTarget();
    if (failure.isUnfit === true) return this.#tryOther(nowMs, random) ?? this.#moveOn(nowMs, random);
    if (target === null) return this.#moveOn(nowMs, random);
    return this.#retry(target, nowMs, random) ?? this.#moveOn(nowMs, random);
  }

  /**
   * Returns the next step if the latest target was not called. The target isn't counted as an attempt or proposed
   * again.
   */
  skip(nowMs: number, random: () => number): RouteStep<T> {
    this.end();
    this.#count(-1);
    this.#leaveTarget();
    if (nowMs >= this.#start.deadlineMs) return { kind: "stop" };
    const other = chooseAnother(this.#group, this.#start.options, nowMs, random, this.#failed, "left out");
    const isTaken = !(other instanceof RouteRefusal) && (this.#role !== "retry" || this.#takeRetry(nowMs));
    return isTaken ? this.#propose(this.#role, other, 0) : this.#moveOn(nowMs, random);
  }

  /** Leaves out the latest target and those that would fail in the same way. */
  exclude(targets: readonly T[]): void {
    this.#unfit = [...this.#unfit, ...targets];
    this.#failed.push(...targets.filter((target) => target !== this.#target && !this.#failed.includes(target)));
  }

  /** Ends the call, or its latest retry. */
  end(): void {
    if (this.#holdsBudget) this.#group.budget.end();
    this.#holdsBudget = false;
  }

  #leaveTarget(): void {
    if (this.#target === null) return;
    this.#failed.push(this.#target);
    this.#level = Math.max(this.#level, levelOf(this.#target));
    this.#target = null;
  }

  #retry(target: T, nowMs: number, random: () => number): RouteStep<T> | null {
    const { options, deadlineMs } = this.#start;
    const { rules, targets } = this.#group;
    this.maxRetries = countRetries(target, options, this.#failure, targets.length, rules);
    if (this.#groupRetries >= this.maxRetries || !this.#hasCallLeft()) return null;
    const failedAre = needsAnotherTarget(this.#failure, rules) ? "left out" : "last";
    const choice = this.#chooseAgain(failedAre, nowMs, random);
    if (choice instanceof RouteRefusal) return null;
    const waitMs = this.#failed.includes(choice)
      ? waitBeforeRetry(this.#failure, this.#groupRetries, rules.router.leastRetryWaitMs, random)
      : 0;
    if (nowMs + waitMs >= deadlineMs || !this.#takeRetry(nowMs)) return null;
    return this.#propose("retry", choice, waitMs);
  }

  /** Chooses a target for a retry. Targets that can't serve the request are left out in any case. */
  #chooseAgain(failedAre: "last" | "left out", nowMs: number, random: () => number): T | RouteRefusal {
    const choose = (left: readonly T[], leftAre: "last" | "left out") =>
      chooseAnother(this.#group, this.#start.options, nowMs, random, left, leftAre);
    if (this.#unfit.length === 0) return choose(this.#failed, failedAre);
    const other = choose(this.#failed, "left out");
    return other instanceof RouteRefusal && failedAre === "last" ? choose(this.#unfit, "left out") : other;
  }

  /**
   * Proposes another target after a target that can't serve the request. The refusal costs the upstream nothing, and
   * each target is tried once, so the retry budget doesn't apply.
   */
  #tryOther(nowMs: number, random: () => number): RouteStep<T> | null {
    if (!this.#hasCallLeft()) return null;
    const choice = chooseAnother(this.#group, this.#start.options, nowMs, random, this.#failed, "left out");
    return choice instanceof RouteRefusal ? null : this.#propose("retry", choice, 0);
  }

  #takeRetry(nowMs: number): boolean {
    this.#holdsBudget = this.#group.budget.take(nowMs);
    return this.#holdsBudget;
  }

  /** Moves to higher levels of the group, then to other groups, because the retries are used up. */
  #moveOn(nowMs: number, random: () => number): RouteStep<T> {
    const { options } = this.#start;
    if (options.disableFallbacks || !leadsToFallbacks(this.#failure.class)) return { kind: "stop" };
    return this.#climb(nowMs, random) ?? this.#fallBack(nowMs, random);
  }

  #climb(nowMs: number, random: () => number): RouteStep<T> | null {
    if (!this.#hasCallLeft()) return null;
    const levels = this.#group.targets.map(levelOf).filter((level) => level > this.#level);
    for (const level of new Set(levels.sort((one, other) => one - other))) {
      const below = this.#level;
      this.#level = level;
      const { options } = this.#start;
      const choice = chooseAnother(this.#group, options, nowMs, random, this.#failed, "left out", below);
      if (choice instanceof RouteRefusal) continue;
      return this.#propose("level", choice, 0);
    }
    return null;
  }

  #fallBack(nowMs: number, random: () => number): RouteStep<T> {
    const { options, findGroup } = this.#start;
    const { router } = this.#group.rules;
    const plan = planFallbacks(this.#group.name, this.#failure.class, options, router);
    if (plan !== null) this.#positions.push({ plan, next: 0 });
    while (this.#hasCallLeft() && this.fallbacks < router.maxFallbacks) {
      const name = this.#nextName();
      if (name === null) break;
      const group = findGroup(name.group, name.isFromRequest);
      if (group === null || this.#visited.includes(group.name)) continue;
      this.#visited.push(group.name);
      const choice = chooseAnother(group, options, nowMs, random, [], "last");
      if (choice instanceof RouteRefusal) continue;
      this.#enter(group, nowMs);
      return this.#propose("fallback", choice, 0);
    }
    return { kind: "stop" };
  }

  #enter(group: RouteGroup<T>, nowMs: number): void {
    this.#group = group;
    this.#failed = [];
    this.#unfit = [];
    this.#groupRetries = 0;
    this.#level = Number.NEGATIVE_INFINITY;
    group.budget.noteCall(nowMs);
  }

  #nextName(): { readonly group: string; readonly isFromRequest: boolean } | null {
    for (;;) {
      const position = this.#positions.at(-1);
      if (position === undefined) return null;
      const group = position.plan.groups[position.next];
      position.next += 1;
      if (group !== undefined) return { group, isFromRequest: position.plan.isFromRequest };
      this.#positions.pop();
    }
  }

  #hasCallLeft(): boolean {
    return this.attempts < Math.min(MAX_UPSTREAM_CALLS, this.#group.rules.router.maxUpstreamCalls);
  }

  #propose(role: Role, target: T, waitMs: number): RouteStep<T> {
    this.#role = role;
    this.#target = target;
    this.#count(1);
    return { kind: "call", group: this.#group, target, waitMs, isFallback: role === "fallback" };
  }

  #count(change: 1 | -1): void {
    this.attempts += change;
    if (this.#role === "fallback") this.fallbacks += change;
    if (this.#role === "retry") this.#groupRetries += change;
    if (this.#role === "retry" || this.#role === "level") this.retries += change;
  }
}
