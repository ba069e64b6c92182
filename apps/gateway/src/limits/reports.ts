import type { AskSettings, Question, SharedCounters } from "@tollgate/domain/limits/shared-counters.ts";
import { SlotMeter } from "@tollgate/domain/limits/slot-meter.ts";
import type { WindowMeter } from "@tollgate/domain/limits/window-meter.ts";

/** How long corrections are collected, so that calls that end at nearly the same time share a round trip. */
const COLLECT_MS = 10;
const RETRY_MS = 500;
const MAX_KEYS_PER_TRIP = 100;

type Meter = WindowMeter | SlotMeter;

/** Reports to the store the amounts that this process has spent, returned, or freed. */
export class Reports {
  readonly #shared: SharedCounters;
  readonly #settings: () => AskSettings;
  readonly #now: () => number;
  readonly #isPaused: () => boolean;
  readonly #onFailure: (error: unknown) => void;
  readonly #waiting = new Set<Meter>();
  #timer: NodeJS.Timeout | null = null;
  #sendsAtMs = Number.POSITIVE_INFINITY;

  constructor(
    shared: SharedCounters,
    settings: () => AskSettings,
    now: () => number,
    isPaused: () => boolean,
    onFailure: (error: unknown) => void,
  ) {
    this.#shared = shared;
    this.#settings = settings;
    this.#now = now;
    this.#isPaused = isPaused;
    this.#onFailure = onFailure;
  }

  /**
   * Schedules a report of this meter within `withinMs`. Has no effect during a pause, because all unreported meters are
   * added after the pause.
   */
  add(meter: Meter, withinMs = COLLECT_MS): void {
    if (this.#isPaused()) return;
    this.#waiting.add(meter);
    const atMs = this.#now() + withinMs;
    if (atMs >= this.#sendsAtMs) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#sendsAtMs = atMs;
    this.#timer = setTimeout(() => this.#send(), withinMs).unref();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #send(): void {
    this.#timer = null;
    this.#sendsAtMs = Number.POSITIVE_INFINITY;
    const meters = [...this.#waiting].filter((meter) => meter instanceof SlotMeter || meter.owed !== 0);
    this.#waiting.clear();
    if (this.#isPaused()) return;
    for (const group of Map.groupBy(meters, (meter) => hashTagOf(meter.key)).values()) {
      for (let start = 0; start < group.length; start += MAX_KEYS_PER_TRIP) {
        void this.#sendGroup(group.slice(start, start + MAX_KEYS_PER_TRIP));
      }
    }
  }

  async #sendGroup(meters: readonly Meter[]): Promise<void> {
    const asked = meters.map((meter) =>
      meter instanceof SlotMeter
        ? ({ meter, kind: "slots", asked: meter.ask(0, false) } as const)
        : ({ meter, kind: "window", asked: meter.ask(0, null) } as const),
    );
    const questions = asked.map((one): Question => (one.kind === "slots" ? one.asked : one.asked.question));
    try {
      const { counters } = await this.#shared.ask(questions, this.#settings());
      const nowMs = this.#now();
      for (const [index, one] of asked.entries()) {
        const state = counters[index];
        if (state === undefined) throw new Error("the store returned fewer counters than requested");
        if (one.kind === "slots") one.meter.adopt(one.asked, state.used, false);
        else one.meter.adopt(one.asked, state, 0, nowMs);
      }
    } catch (error) {
      for (const one of asked) {
        if (one.kind === "slots") one.meter.abandon(one.asked);
        else one.meter.abandon(one.asked);
        this.add(one.meter, RETRY_MS);
      }
      this.#onFailure(error);
    }
  }
}

function hashTagOf(key: string): string {
  return key.slice(0, key.indexOf("}"));
}
