import { type CooldownListener, RetryBudget, TargetState } from "./target-state.ts";

/** Router state that survives a new model list, by deployment ID and configured group. */
export class RouteStates {
  readonly #targets = new Map<string, TargetState>();
  readonly #budgets = new Map<string, RetryBudget>();
  readonly #listener: CooldownListener | null;

  constructor(listener: CooldownListener | null = null) {
    this.#listener = listener;
  }

  /** Returns the state of a deployment: the same object for as long as the deployment is configured. */
  target(id: string): TargetState {
    let state = this.#targets.get(id);
    if (state === undefined) {
      state = new TargetState(id, this.#listener);
      this.#targets.set(id, state);
    }
    return state;
  }

  /** Returns the state of a deployment, or null if it isn't configured. */
  find(id: string): TargetState | null {
    return this.#targets.get(id) ?? null;
  }

  /**
   * Returns the retry budget of a group. Names under a pattern share one budget, because clients can invent any number
   * of names.
   */
  budget(configuredGroup: string): RetryBudget {
    let budget = this.#budgets.get(configuredGroup);
    if (budget === undefined) {
      budget = new RetryBudget();
      this.#budgets.set(configuredGroup, budget);
    }
    return budget;
  }

  targets(): Iterable<TargetState> {
    return this.#targets.values();
  }

  /** Drops the state of targets and groups missing from a new model list. */
  keepOnly(ids: ReadonlySet<string>, groups: ReadonlySet<string>): void {
    for (const id of this.#targets.keys()) if (!ids.has(id)) this.#targets.delete(id);
    for (const group of this.#budgets.keys()) if (!groups.has(group)) this.#budgets.delete(group);
  }
}
