import { AT_ID } from "../record-layout.ts";
import { Canaries } from "./canaries.ts";
import type { DeliveryAnswer, DeliveryPorts, DeliveryStep, JournalChunk } from "./delivery-ports.ts";
import { GrowingPause } from "./growing-pause.ts";
import {
  firstEndOf,
  formBatch,
  idsOf,
  outerIdsOf,
  type PendingBatch,
  type PendingRange,
  partition,
} from "./pending-batch.ts";
import { RangeQueue } from "./range-queue.ts";
import { ReadPace } from "./read-pace.ts";
import { nextRecordAt } from "./record-range.ts";
import { SegmentProgress } from "./segment-progress.ts";
import { UnconfirmedBatches } from "./unconfirmed-batches.ts";

interface DeliveryOptions {
  /** Maximum number of batches in flight. */
  readonly parallelBatches: number;
}

const BATCH_LIMIT = 500;
/** Time between two questions to the ledger. One question is about all batches that were sent since the last one. */
const QUESTION_SPACING_MS = 2_000;
const PRESSING_SPACING_MS = 250;
// Maximum number of unconfirmed events in memory. Later events stay in the journal files.
const PENDING_LIMIT = 20_000;
/** Number of unconfirmed events from which on questions are pressing, long before the limit stops delivery. */
const PRESSING_LIMIT = PENDING_LIMIT / 4;

/**
 * Delivers every closed event of a journal to the ledger, and marks finished segments. An event is done only when the
 * ledger confirms it. Until then, it is delivered repeatedly, which is safe because its ID makes delivery idempotent.
 *
 * An event is a range of bytes of its segment. Only batches of events have state, because objects per event would take
 * more time than the delivery itself. While there is nothing to deliver, no timer runs.
 */
export class Delivery {
  readonly #ports: DeliveryPorts;
  readonly #parallelBatches: number;

  /** Number of events that were read but not confirmed. */
  #backlog = 0;
  #queue = new RangeQueue();
  /** Batches that were sent but not confirmed. */
  readonly #sent = new Set<PendingBatch>();
  #carried = new UnconfirmedBatches();
  /** Batches to send again. */
  #resend: PendingBatch[] = [];
  #canaries = new Canaries();
  readonly #pace = new ReadPace();
  #progress = new SegmentProgress();
  /** Segments whose events are confirmed, and which wait for the next check of the canaries. */
  #unchecked: number[] = [];
  /** Segments to finish. */
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
  #askedAtMs = Number.NEGATIVE_INFINITY;
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

  /** End time of the oldest unconfirmed event, in Unix milliseconds; null if there is none. */
  get oldestUnconfirmedAtMs(): number | null {
    let oldest = firstEndOf(this.#queue.ranges);
    for (const { ranges } of this.#sent) {
      const end = firstEndOf(ranges);
      if (end !== null && (oldest === null || end < oldest)) oldest = end;
    }
    return oldest;
  }

  /** Number of unconfirmed events in memory. At the limit, the files may contain more. */
  get backlog(): number {
    return this.#backlog;
  }

  /** Resolves once all events now in the journal are confirmed and its complete segments are finished. */
  drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drainRequests += 1;
    this.#drainWaiters.push(resolve);
    this.#readNow();
    return promise;
  }

  /**
   * Watches events that the ledger confirmed in an earlier run. If the ledger has lost one of these events, the whole
   * journal is delivered again.
   */
  watch(ids: readonly string[]): void {
    const nowMs = this.#ports.clock.monotonicMs();
    for (const id of ids) this.#canaries.add(id, nowMs);
    this.#canaries.hurry(nowMs);
    this.#step();
  }

  /** Delivers the entire journal again, finished or not, because the database was restored from a backup. */
  redeliverAll(): void {
    this.#generation += 1;
    this.#backlog = 0;
    this.#queue = new RangeQueue();
    this.#sent.clear();
    this.#carried = new UnconfirmedBatches();
    this.#resend = [];
    this.#canaries = new Canaries();
    this.#progress = new SegmentProgress();
    this.#unchecked = [];
    this.#unfinished = [];
    this.#caughtUpFor = -1;
    // If a read is in flight, it rewinds when it completes.
    if (!this.#isReading) this.#ports.source.rewind();
    this.#readNow();
  }

  #readNow(): void {
    this.#readAtMs = 0;
    this.#step();
  }

  /** Starts everything that is due, and sets the timer for the next step. */
  #step(): void {
    if (this.#isStopped || this.#isStepping) return;
    this.#isStepping = true;
    const nowMs = this.#ports.clock.monotonicMs();
    this.#takeFinished(nowMs);
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
    if (this.#isReading || this.#backlog >= PENDING_LIMIT) return Number.POSITIVE_INFINITY;
    const dueMs = Math.max(this.#readAtMs, this.#readPause.untilMs);
    if (dueMs > nowMs) return dueMs;
    this.#isReading = true;
    const drainRequest = this.#drainRequests;
    this.#attempt("read", this.#readPause, () => this.#ports.source.read(PENDING_LIMIT - this.#backlog), {
      always: () => {
        this.#isReading = false;
      },
      stale: () => this.#ports.source.rewind(),
      answered: (chunk) => {
        if (chunk !== null) return this.#accept(chunk);
        this.#caughtUpFor = drainRequest;
        // A drain requested during the read needs a read of its own.
        if (drainRequest === this.#drainRequests) this.#waitForGrowth();
      },
    });
    return Number.POSITIVE_INFINITY;
  }

  #waitForGrowth(): void {
    this.#pace.end(this.#ports.clock.monotonicMs());
    this.#readAtMs = Number.POSITIVE_INFINITY;
    this.#ports.source.whenGrown(() => {
      if (this.#readAtMs !== Number.POSITIVE_INFINITY) return;
      this.#readAtMs = this.#pace.resume(this.#ports.clock.monotonicMs());
      this.#step();
    });
  }

  #accept(chunk: JournalChunk): void {
    const { closed, isDone, hasMore } = chunk;
    if (!isDone) this.#enqueue(chunk);
    for (let offset = 0; offset < closed.bytes.length; offset = nextRecordAt(closed.bytes, offset))
      this.#progress.close(closed.bytes, offset + AT_ID);
    const readsOn = hasMore || this.#drainWaiters.length > 0;
    this.#readAtMs = readsOn ? 0 : this.#pace.end(this.#ports.clock.monotonicMs());
  }

  #enqueue({ segment, origin, opened, closed, endsSegment }: JournalChunk): void {
    this.#progress.open(opened, segment);
    this.#progress.await(segment, closed.count);
    if (endsSegment) this.#progress.end(segment);
    this.#queue.push({ ...closed, segment, origin });
    this.#backlog += closed.count;
    this.#pace.add(closed.count);
    if (closed.count > 0) this.#ports.onBacklog();
  }

  #sendWhenDue(nowMs: number): number {
    if (this.#deliveryPause.untilMs > nowMs) return this.#deliveryPause.untilMs;
    while (this.#sending < this.#parallelBatches) {
      const again = this.#resend.shift();
      if (again !== undefined) {
        this.#send(again);
        continue;
      }
      // The events have been gathered in the journal. Only a read in flight can add to a batch.
      if (this.#isReading && this.#queue.canGrow(BATCH_LIMIT)) break;
      const ranges = this.#queue.take(BATCH_LIMIT);
      const first = ranges[0];
      if (first === undefined) break;
      const batch = formBatch(this.#ports.makeBatchId(), first.origin, ranges);
      this.#sent.add(batch);
      this.#send(batch);
    }
    return Number.POSITIVE_INFINITY;
  }

  #send(batch: PendingBatch): void {
    this.#sending += 1;
    this.#attempt("deliver", this.#deliveryPause, () => this.#ports.eventLog.deliver(batch), {
      always: () => {
        this.#sending -= 1;
      },
      answered: (answer) => this.#delivered(batch, answer),
      failed: () => this.#resend.push(batch),
    });
  }

  #delivered(batch: PendingBatch, answer: DeliveryAnswer): void {
    batch.deliveries += 1;
    if (answer === "carried") this.#carried.add(batch, this.#ports.clock.monotonicMs());
    else this.#confirmBatch(batch);
  }

  #askWhenDue(nowMs: number): number {
    if (this.#isAsking) return Number.POSITIVE_INFINITY;
    const wantedMs = Math.min(this.#carried.dueMs, this.#canaries.dueMs);
    const isPressing = this.#drainWaiters.length > 0 || this.#backlog >= PRESSING_LIMIT;
    const spacedMs = Math.min(this.#askedAtMs + QUESTION_SPACING_MS, this.#carried.redeliveryDueMs);
    const pressingMs = this.#askedAtMs + PRESSING_SPACING_MS;
    const dueMs = Math.max(wantedMs, pressingMs, isPressing ? 0 : spacedMs, this.#questionPause.untilMs);
    if (dueMs > nowMs) return dueMs;
    this.#askedAtMs = nowMs;
    const batches = this.#carried.take(nowMs);
    const canaries = this.#canaries.take(nowMs);
    const checked = canaries.length > 0 ? this.#unchecked.length : 0;
    const ids = [...batches.map(idsOf), ...canaries].join(",");
    this.#isAsking = true;
    this.#attempt("confirm", this.#questionPause, () => this.#ports.confirmation.findMissing(ids), {
      always: () => {
        this.#isAsking = false;
      },
      answered: (missing) => {
        this.#unfinished.push(...this.#unchecked.splice(0, checked));
        this.#receiveAnswer(batches, missing, canaries.length > 0);
      },
      failed: () => this.#carried.putBack(batches, this.#ports.clock.monotonicMs()),
    });
    return Number.POSITIVE_INFINITY;
  }

  /** Handles the positions of the missing events, which count through the batches and then through the canaries. */
  #receiveAnswer(batches: readonly PendingBatch[], missing: readonly number[], hasCanaries: boolean): void {
    const asked = batches.reduce((sum, { count }) => sum + count, 0);
    if (missing.some((position) => position >= asked)) return this.#noticeRestore();
    const nowMs = this.#ports.clock.monotonicMs();
    if (hasCanaries) this.#canaries.check(nowMs);
    // Segments that were completed during the question need another one.
    if (this.#unchecked.length > 0) this.#canaries.hurry(nowMs);
    const ascending = missing.toSorted((left, right) => left - right);
    let [first, next] = [0, 0];
    for (const batch of batches) {
      const positions: number[] = [];
      for (; next < ascending.length && (ascending[next] as number) < first + batch.count; next += 1)
        positions.push((ascending[next] as number) - first);
      first += batch.count;
      if (positions.length === 0) this.#confirmBatch(batch);
      else this.#deny(batch, positions, nowMs);
    }
  }

  /** Keeps the events of a batch that the ledger doesn't have. They wait, or are sent again. */
  #deny(batch: PendingBatch, positions: readonly number[], nowMs: number): void {
    let denied = batch;
    if (positions.length < batch.count) {
      const [missing, known] = partition(batch, positions);
      this.#confirm(known);
      denied = this.#replace(batch, { ...batch, ranges: missing, count: positions.length });
    }
    if (!this.#carried.deny(denied, nowMs)) return;
    // Use a new batch ID, because the log drops batches with a recently seen ID.
    this.#resend.push(this.#replace(denied, { ...denied, id: this.#ports.makeBatchId() }));
  }

  #replace(batch: PendingBatch, replacement: PendingBatch): PendingBatch {
    this.#sent.delete(batch);
    this.#sent.add(replacement);
    return replacement;
  }

  #noticeRestore(): void {
    this.#ports.onTrouble("confirm", new Error("the ledger lost confirmed events; resending all events"));
    this.redeliverAll();
  }

  #confirmBatch(batch: PendingBatch): void {
    this.#sent.delete(batch);
    this.#confirm(batch.ranges);
  }

  #confirm(ranges: readonly PendingRange[]): void {
    for (const { segment, count } of ranges) {
      this.#backlog -= count;
      this.#progress.resolve(segment, count);
    }
    // The first event may have been in the ledger for a long time, if the batch was resent, and the last one only now.
    for (const id of outerIdsOf(ranges)) this.#canaries.add(id, this.#ports.clock.monotonicMs());
  }

  /**
   * Takes the segments that can be finished. Before that, the canaries are checked once more. If the database has been
   * restored meanwhile, a segment that is finished would hide the loss from the next run, which watches only the events
   * of the segments that were finished last.
   */
  #takeFinished(nowMs: number): void {
    const finished = this.#progress.takeFinished();
    if (finished.length === 0) return;
    (this.#canaries.isEmpty ? this.#unfinished : this.#unchecked).push(...finished);
    this.#canaries.hurry(nowMs);
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
    if (this.#caughtUpFor !== this.#drainRequests || this.#backlog > 0) return;
    if (this.#isFinishing || this.#unchecked.length > 0 || this.#unfinished.length > 0) return;
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
