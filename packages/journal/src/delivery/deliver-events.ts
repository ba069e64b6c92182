import { Canaries } from "./canaries.ts";
import type { DeliveryAnswer, DeliveryPorts, DeliveryStep, EventBatch, JournalChunk } from "./delivery-ports.ts";
import { EventQueue } from "./event-queue.ts";
import { GrowingPause } from "./growing-pause.ts";
import type { PendingEvent } from "./pending-event.ts";
import { SegmentProgress } from "./segment-progress.ts";
import { UnconfirmedEvents } from "./unconfirmed-events.ts";

interface DeliveryOptions {
  /** Maximum number of batches in flight. */
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
// Maximum number of unconfirmed events in memory. Later events stay in the journal files.
const PENDING_LIMIT = 20_000;

/**
 * Delivers every closed event of a journal to the ledger, and marks finished segments. An event is done only when the
 * ledger confirms it. Until then, it is delivered repeatedly, which is safe because its ID makes delivery idempotent.
 */
export class Delivery {
  readonly #ports: DeliveryPorts;
  readonly #parallelBatches: number;

  /** Events that were read but not confirmed, oldest first. */
  readonly #pending = new Map<string, PendingEvent>();
  #queue = new EventQueue();
  #carried = new UnconfirmedEvents();
  #canaries = new Canaries();
  #failed: Sending[] = [];
  #progress = new SegmentProgress();
  #unfinished: number[] = [];

  /**
   * Responses to requests from an earlier generation are invalid, because the database has been restored since then.
   */
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
  /** Number of the drain request after which a read found no new records. */
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

  /** Stops starting new work. Requests in flight complete, and their results are ignored. */
  stop(): void {
    this.#isStopped = true;
    this.#generation += 1;
    this.#cancelTimer();
  }

  /** Reads the journal now instead of at the next poll, because records were added. */
  wake(): void {
    this.#readAtMs = 0;
    this.#step();
  }

  /** End time of the oldest unconfirmed event, in Unix milliseconds; null if there is none. */
  get oldestUnconfirmedAtMs(): number | null {
    return this.#pending.values().next().value?.endedAtMs ?? null;
  }

  /** Number of unconfirmed events in memory. At the limit, the files may contain more. */
  get backlog(): number {
    return this.#pending.size;
  }

  /** Resolves once all events now in the journal are confirmed and its complete segments are finished. */
  drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drainRequests += 1;
    this.#drainWaiters.push(resolve);
    this.wake();
    return promise;
  }

  /**
   * Watches events that the ledger confirmed in an earlier run. If the ledger has lost one of these events, the whole
   * journal is delivered again.
   */
  watch(ids: readonly string[]): void {
    for (const id of ids) this.#canaries.add(id, this.#ports.clock.monotonicMs());
    this.#step();
  }

  /** Delivers the entire journal again, finished or not, because the database was restored from a backup. */
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
    // If a read is in flight, it rewinds when it completes.
    if (!this.#isReading) this.#ports.source.rewind();
    this.wake();
  }

  /** Starts everything that is due, and sets the timer for the next step. */
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
    // A busy journal always has a few more records, so read it in large chunks instead of as fast as it grows.
    const isWorthReading = entries.length >= SMALL_CHUNK || endsSegment || this.#drainWaiters.length > 0;
    this.#readAtMs = isWorthReading ? 0 : readAtMs + POLL_MS;
    for (const entry of entries) {
      if (entry.kind === "open") {
        // A group rewritten after a disk error may open a call whose closing record was already read.
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
      // The ledger may already have had the first event of a resent batch for a long time, and have received the last
      // event only now.
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
    // Use a new batch ID, because the log drops batches with a recently seen ID.
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

  /** Runs one port call. A failure pauses calls of its kind with exponential backoff. Retries never stop. */
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
  /** Called if the call started before a full redelivery. */
  stale?(): void;
}
