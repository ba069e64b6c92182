import { Canaries } from "./canaries.ts";
import { UnconfirmedEvents } from "./carried-events.ts";
import type { DeliveryAnswer, DeliveryPorts, DeliveryStep, EventBatch, JournalChunk } from "./delivery-ports.ts";
import { EventQueue } from "./event-queue.ts";
import { GrowingPause } from "./growing-pause.ts";
import type { PendingEvent } from "./pending-event.ts";
import { SegmentProgress } from "./segment-progress.ts";

export interface DeliveryOptions {
  /** Batches under way at once. */
  readonly parallelBatches: number;
}

interface Sending {
  readonly batch: EventBatch;
  readonly events: readonly PendingEvent[];
}

const BATCH_LIMIT = 500;
const GATHER_MS = 100;
const POLL_MS = 100;
const SMALL_CHUNK = 128;
const QUESTION_SPACING_MS = 250;
// How far memory runs ahead of the ledger. What lies behind stays in the file, which is its own memory.
const PENDING_LIMIT = 20_000;

/**
 * Brings every closed event of a journal to the ledger, and tells the journal which segments are finished. An event is
 * done only when the ledger itself says so; until then it is delivered again and again, for which its id makes it safe.
 */
export class Delivery {
  readonly #ports: DeliveryPorts;
  readonly #parallelBatches: number;

  /** Everything read and not confirmed, oldest first. */
  readonly #pending = new Map<string, PendingEvent>();
  #queue = new EventQueue();
  #carried = new UnconfirmedEvents();
  #canaries = new Canaries();
  #failed: Sending[] = [];
  #progress = new SegmentProgress();
  #unfinished: number[] = [];

  /** Answers to what was asked under an earlier number prove nothing: the database was restored in between. */
  #generation = 0;
  #isStopped = true;
  #isReading = false;
  #isAsking = false;
  #isFinishing = false;
  #sending = 0;
  #readAtMs = 0;
  #nextQuestionMs = 0;
  readonly #readPause = new GrowingPause();
  readonly #deliveryPause = new GrowingPause();
  readonly #questionPause = new GrowingPause();
  readonly #finishPause = new GrowingPause();

  #drainRequests = 0;
  /** The drain request after which a read found nothing new. */
  #caughtUpFor = -1;
  #drainWaiters: (() => void)[] = [];
  #cancelTimer: () => void = () => {};
  #isStepping = false;

  constructor(ports: DeliveryPorts, options: DeliveryOptions) {
    this.#ports = ports;
    this.#parallelBatches = options.parallelBatches;
  }

  start(): void {
    this.#isStopped = false;
    this.#step();
  }

  /** Begins nothing new. What is under way ends by itself, and what it brings is ignored. */
  stop(): void {
    this.#isStopped = true;
    this.#generation += 1;
    this.#cancelTimer();
  }

  /** Something was added to the journal: it is read now instead of at the next poll. */
  wake(): void {
    this.#readAtMs = 0;
    this.#step();
  }

  /** When the oldest event that was read and is not confirmed ended, in Unix milliseconds; null when there is none. */
  get oldestUnconfirmedAtMs(): number | null {
    return this.#pending.values().next().value?.endedAtMs ?? null;
  }

  /** Events that were read and are not confirmed. At its limit there may be more in the files. */
  get backlog(): number {
    return this.#pending.size;
  }

  /** Resolves once all that the journal held at this moment is confirmed and its ended segments are finished. */
  drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drainRequests += 1;
    this.#drainWaiters.push(resolve);
    this.wake();
    return promise;
  }

  /**
   * Events that the ledger once confirmed, of an earlier run. Should it turn out to have lost one, as it does with those
   * of this run, everything is delivered again.
   */
  watch(ids: readonly string[]): void {
    for (const id of ids) this.#canaries.add(id, this.#ports.clock.monotonicMs());
    this.#step();
  }

  /** The database was restored from a backup: all that the journal still has is delivered again, finished or not. */
  redeliverAll(): void {
    this.#generation += 1;
    this.#pending.clear();
    this.#queue = new EventQueue();
    this.#carried = new UnconfirmedEvents();
    this.#canaries = new Canaries();
    this.#failed = [];
    this.#progress = new SegmentProgress();
    this.#unfinished = [];
    this.#caughtUpFor = -1;
    // A read that is under way rewinds when it is back.
    if (!this.#isReading) this.#ports.source.rewind();
    this.wake();
  }

  /** Starts whatever may be started now, and sets the clock for the next thing that may. */
  #step(): void {
    if (this.#isStopped || this.#isStepping) return;
    this.#isStepping = true;
    const nowMs = this.#ports.clock.monotonicMs();
    this.#unfinished.push(...this.#progress.takeFinished());
    const nextMs = Math.min(
      this.#readWhenDue(nowMs),
      this.#sendWhenDue(nowMs),
      this.#askWhenDue(nowMs),
      this.#finishWhenDue(nowMs),
    );
    this.#tellDrained();
    this.#cancelTimer();
    this.#cancelTimer = Number.isFinite(nextMs)
      ? this.#ports.clock.after(Math.max(0, nextMs - nowMs), () => this.#step())
      : () => {};
    this.#isStepping = false;
  }

  #readWhenDue(nowMs: number): number {
    if (this.#isReading || this.#pending.size >= PENDING_LIMIT) return Number.POSITIVE_INFINITY;
    const dueMs = Math.max(this.#readAtMs, this.#readPause.untilMs);
    if (dueMs > nowMs) return dueMs;
    this.#isReading = true;
    const drainRequest = this.#drainRequests;
    this.#attempt("read", this.#readPause, () => this.#ports.source.read(PENDING_LIMIT - this.#pending.size), {
      always: () => {
        this.#isReading = false;
      },
      stale: () => this.#ports.source.rewind(),
      answered: (chunk) => {
        if (chunk === null) {
          this.#readAtMs = this.#ports.clock.monotonicMs() + POLL_MS;
          this.#caughtUpFor = drainRequest;
        } else this.#accept(chunk);
      },
    });
    return Number.POSITIVE_INFINITY;
  }

  #accept({ segment, origin, entries, endsSegment }: JournalChunk): void {
    const readAtMs = this.#ports.clock.monotonicMs();
    // A journal under load always has a little more; it is read in large pieces, not as fast as it is written.
    const isWorthReading = entries.length >= SMALL_CHUNK || endsSegment || this.#drainWaiters.length > 0;
    this.#readAtMs = isWorthReading ? 0 : readAtMs + POLL_MS;
    for (const entry of entries) {
      if (entry.kind === "open") {
        // A group that was written again after a disk error may open a call whose closing record was read already.
        if (!this.#pending.has(entry.id)) this.#progress.open(entry.id, segment);
        continue;
      }
      const { id, bytes, endedAtMs } = entry;
      this.#progress.await(segment);
      const version = this.#pending.get(id);
      if (version === undefined) {
        const state = { isCanary: false, deliveries: 0, deliveredAtMs: 0, denials: 0, askAtMs: 0 };
        const event: PendingEvent = { id, bytes, origin, endedAtMs, readAtMs, segments: [segment], ...state };
        this.#pending.set(id, event);
        this.#queue.push(event);
      } else version.segments.push(segment);
      this.#progress.close(id);
    }
    if (endsSegment) this.#progress.end(segment);
  }

  #sendWhenDue(nowMs: number): number {
    if (this.#deliveryPause.untilMs > nowMs) return this.#deliveryPause.untilMs;
    while (this.#sending < this.#parallelBatches) {
      const failed = this.#failed.shift();
      if (failed !== undefined) {
        this.#send(failed);
        continue;
      }
      const dueMs = this.#drainWaiters.length > 0 ? nowMs : this.#queue.gatheredAtMs(BATCH_LIMIT, GATHER_MS);
      if (dueMs > nowMs) return dueMs;
      const events = this.#queue.take(BATCH_LIMIT);
      const first = events[0];
      if (first === undefined) break;
      first.isCanary = true;
      // Of a batch that is sent again the ledger may have had the first one for long, and have taken the last one only now.
      (events.at(-1) ?? first).isCanary = true;
      this.#send({ batch: { id: this.#ports.makeBatchId(), origin: first.origin, events }, events });
    }
    return Number.POSITIVE_INFINITY;
  }

  #send(sending: Sending): void {
    this.#sending += 1;
    this.#attempt("deliver", this.#deliveryPause, () => this.#ports.eventLog.deliver(sending.batch), {
      always: () => {
        this.#sending -= 1;
      },
      answered: (answer) => this.#delivered(sending.events, answer),
      failed: () => this.#failed.push(sending),
    });
  }

  #delivered(events: readonly PendingEvent[], answer: DeliveryAnswer): void {
    for (const event of events) event.deliveries += 1;
    const settled = new Set(answer.kind === "settled" ? answer.ids : []);
    for (const event of events) if (settled.has(event.id)) this.#confirm(event);
    this.#carried.add(
      events.filter((event) => !settled.has(event.id)),
      this.#ports.clock.monotonicMs(),
    );
  }

  #askWhenDue(nowMs: number): number {
    if (this.#isAsking) return Number.POSITIVE_INFINITY;
    const wantedMs = Math.min(this.#carried.dueMs, this.#canaries.dueMs);
    const dueMs = Math.max(wantedMs, this.#nextQuestionMs, this.#questionPause.untilMs);
    if (dueMs > nowMs) return dueMs;
    this.#nextQuestionMs = nowMs + QUESTION_SPACING_MS;
    const events = this.#carried.take(nowMs);
    const canaries = this.#canaries.take(nowMs);
    const ids = [...events.map((event) => event.id), ...canaries];
    this.#isAsking = true;
    this.#attempt("confirm", this.#questionPause, () => this.#ports.confirmation.knownEvents(ids), {
      always: () => {
        this.#isAsking = false;
      },
      answered: (known) => {
        if (canaries.every((id) => known.has(id))) this.#receiveAnswer(events, known, canaries.length > 0);
        else this.#noticeRestore();
      },
      failed: () => this.#carried.putBack(events, this.#ports.clock.monotonicMs()),
    });
    return Number.POSITIVE_INFINITY;
  }

  #receiveAnswer(events: readonly PendingEvent[], known: ReadonlySet<string>, areCanariesThere: boolean): void {
    const nowMs = this.#ports.clock.monotonicMs();
    if (areCanariesThere) this.#canaries.check(nowMs);
    for (const event of events) if (known.has(event.id)) this.#confirm(event);
    const denied = events.filter((event) => !known.has(event.id));
    // Under a new batch id, because the log drops a batch whose id it has lately seen.
    for (const event of this.#carried.deny(denied, nowMs)) this.#queue.push(event);
  }

  #noticeRestore(): void {
    this.#ports.onTrouble("confirm", new Error("the ledger lost confirmed events; resending all events"));
    this.redeliverAll();
  }

  #confirm(event: PendingEvent): void {
    this.#pending.delete(event.id);
    if (event.isCanary) this.#canaries.add(event.id, this.#ports.clock.monotonicMs());
    for (const segment of event.segments) this.#progress.resolve(segment);
  }

  #finishWhenDue(nowMs: number): number {
    const segment = this.#unfinished[0];
    if (this.#isFinishing || segment === undefined) return Number.POSITIVE_INFINITY;
    if (this.#finishPause.untilMs > nowMs) return this.#finishPause.untilMs;
    this.#isFinishing = true;
    this.#attempt("finish", this.#finishPause, () => this.#ports.source.finish(segment), {
      always: () => {
        this.#isFinishing = false;
      },
      answered: () => this.#unfinished.shift(),
    });
    return Number.POSITIVE_INFINITY;
  }

  #tellDrained(): void {
    if (this.#caughtUpFor !== this.#drainRequests || this.#pending.size > 0) return;
    if (this.#isFinishing || this.#unfinished.length > 0) return;
    const waiters = this.#drainWaiters;
    this.#drainWaiters = [];
    for (const resolve of waiters) resolve();
  }

  /** Runs one port call to its end. A failure pauses calls of its kind, longer each time, and is tried again for ever. */
  #attempt<T>(step: DeliveryStep, pause: GrowingPause, call: () => Promise<T>, then: Continuation<T>): void {
    const generation = this.#generation;
    const finish = (proceed: () => void) => {
      then.always();
      if (generation === this.#generation) proceed();
      else if (!this.#isStopped) then.stale?.();
      this.#step();
    };
    call().then(
      (answer) =>
        finish(() => {
          pause.end();
          then.answered(answer);
        }),
      (error: unknown) =>
        finish(() => {
          pause.grow(this.#ports.clock.monotonicMs());
          then.failed?.();
          this.#ports.onTrouble(step, error);
        }),
    );
  }
}

interface Continuation<T> {
  always(): void;
  answered(answer: T): void;
  failed?(): void;
  /** The call began before everything was to be delivered again. */
  stale?(): void;
}
