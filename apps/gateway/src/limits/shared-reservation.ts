import type { CounterState, Question, SharedAnswer, SlotQuestion } from "@tollgate/domain/limits/shared-counters.ts";
import type { PendingWindow, WindowMeter } from "@tollgate/domain/limits/window-meter.ts";
import { type Limit, needOf } from "./limit.ts";

type PendingQuestion =
  | { readonly kind: "window"; readonly limit: Limit; readonly meter: WindowMeter; readonly asked: PendingWindow }
  | { readonly kind: "slots"; readonly limit: Limit & { type: "max_parallel_requests" }; readonly asked: SlotQuestion };

/**
 * One call's request to the store. Amounts that slices cover are spent immediately, and only the remaining amounts are
 * requested. The request ends with `settle` or `abandon`. If the call isn't admitted, the spent slices are restored.
 */
export class SharedTake {
  readonly questions: readonly Question[];
  /** The meters that received a slice. */
  readonly refilled: WindowMeter[] = [];
  readonly #asked: PendingQuestion[] = [];
  readonly #spent: { readonly meter: WindowMeter; readonly need: number }[] = [];
  readonly #refill = Promise.withResolvers<boolean>();
  readonly #nowMs: number;

  constructor(limits: readonly Limit[], tokens: number, nowMs: number) {
    this.#nowMs = nowMs;
    for (const limit of limits) {
      if (limit.type === "max_parallel_requests") {
        this.#asked.push({ kind: "slots", limit, asked: limit.meter.ask(limit.maximum, true) });
        continue;
      }
      const { meter } = limit;
      const need = needOf(limit, tokens);
      if (meter.hasSlice(need, nowMs)) {
        meter.spendSlice(need, nowMs);
        this.#spent.push({ meter, need });
      } else {
        this.#asked.push({ kind: "window", limit, meter, asked: meter.ask(limit.maximum, need) });
        if (!meter.isNear) meter.refill ??= this.#refill.promise;
      }
    }
    this.questions = this.#asked.map((one) => (one.kind === "slots" ? one.asked : one.asked.question));
  }

  /** Applies the store's response. Returns the limit that refused the call, if any. */
  settle(answer: SharedAnswer, nowMs: number): { limit: Limit; state: CounterState } | null {
    const isTaken = answer.refusedBy === null;
    let refused: { limit: Limit; state: CounterState } | null = null;
    for (const [index, one] of this.#asked.entries()) {
      const state = answer.counters[index];
      if (state === undefined) throw new Error("the store returned fewer counters than requested");
      if (answer.refusedBy === index) refused = { limit: one.limit, state };
      if (one.kind === "slots") one.limit.meter.adopt(one.asked, state.used, isTaken);
      else {
        one.meter.adopt(one.asked, state, isTaken ? (one.asked.question.need ?? 0) : 0, nowMs);
        if (state.slice > 0) this.refilled.push(one.meter);
      }
    }
    if (!isTaken) this.#unspend(nowMs);
    this.#endRefill(true);
    return refused;
  }

  /** Restores the slices because the store did not respond. */
  abandon(nowMs: number): void {
    for (const one of this.#asked) {
      if (one.kind === "slots") one.limit.meter.abandon(one.asked);
      else one.meter.abandon(one.asked);
    }
    this.#unspend(nowMs);
    this.#endRefill(false);
  }

  #unspend(nowMs: number): void {
    for (const { meter, need } of this.#spent) meter.giveBack(need, this.#nowMs, nowMs);
  }

  #endRefill(hasAnswered: boolean): void {
    for (const one of this.#asked) {
      if (one.kind === "window" && one.meter.refill === this.#refill.promise) one.meter.refill = null;
    }
    this.#refill.resolve(hasAnswered);
  }
}
