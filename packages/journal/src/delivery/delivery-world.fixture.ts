import { bareClosing, idsAsked, idsIn, openedOf, positionsMissing, rangeOf } from "./bare-closing.fixture.ts";
import { Delivery } from "./deliver-events.ts";
import type {
  Confirmation,
  DeliveryAnswer,
  DeliveryClock,
  DeliveryStep,
  EventBatch,
  EventLog,
  JournalChunk,
  JournalSource,
} from "./delivery-ports.ts";

interface Entry {
  readonly kind: "open" | "close";
  readonly id: string;
}

/** A clock that advances only on request. */
class VirtualClock implements DeliveryClock {
  nowMs = 1_000;
  readonly #timers: { atMs: number; work: () => void }[] = [];

  monotonicMs(): number {
    return this.nowMs;
  }

  after(ms: number, work: () => void): () => void {
    const timer = { atMs: this.nowMs + ms, work };
    this.#timers.push(timer);
    return () => {
      const index = this.#timers.indexOf(timer);
      if (index >= 0) this.#timers.splice(index, 1);
    };
  }

  /** Number of timers that are set. */
  get timers(): number {
    return this.#timers.length;
  }

  /** Runs all timers due within the given time, in order, and lets promises settle after each timer. */
  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    for (;;) {
      await settle();
      const next = this.#timers.toSorted((left, right) => left.atMs - right.atMs)[0];
      if (next === undefined || next.atMs > endMs) break;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      this.#timers.splice(this.#timers.indexOf(next), 1);
      next.work();
    }
    this.nowMs = endMs;
  }
}

/** An in-memory journal. A segment is complete when a later segment exists, or the journal is closed. */
class MemoryJournal implements JournalSource {
  readonly segments: { entries: Entry[]; epoch: number }[] = [];
  readonly finished: number[] = [];
  isClosed = false;
  /** Maximum number of entries that a read returns. */
  readSize = Number.POSITIVE_INFINITY;
  reads = 0;
  #segment = 0;
  #offset = 0;
  #wake: (() => void) | null = null;

  begin(epoch: number): void {
    this.segments.push({ entries: [], epoch });
    this.#tellGrown();
  }

  open(id: string): void {
    this.segments.at(-1)?.entries.push({ kind: "open", id });
    this.#tellGrown();
  }

  close(id: string): void {
    this.segments.at(-1)?.entries.push({ kind: "close", id });
    this.#tellGrown();
  }

  end(): void {
    this.isClosed = true;
    this.#tellGrown();
  }

  async read(limit: number): Promise<JournalChunk | null> {
    this.reads += 1;
    const segment = this.segments[this.#segment];
    if (segment === undefined) return null;
    const number = this.#segment;
    const isOver = number < this.segments.length - 1 || this.isClosed;
    const entries = segment.entries.slice(this.#offset, this.#offset + Math.min(limit, this.readSize));
    this.#offset += entries.length;
    const isRead = this.#offset === segment.entries.length;
    const endsSegment = isOver && isRead;
    if (entries.length === 0 && !endsSegment) return null;
    if (endsSegment) {
      this.#segment += 1;
      this.#offset = 0;
    }
    const idsOf = (kind: Entry["kind"]) => entries.filter((entry) => entry.kind === kind).map(({ id }) => id);
    const closed = rangeOf(idsOf("close").map((id) => bareClosing(id, 5_000)));
    const origin = { nodeId: "node", epoch: segment.epoch };
    const hasMore = endsSegment || !isRead;
    const opened = openedOf(idsOf("open"));
    return { segment: number, origin, opened, closed, isDone: false, endsSegment, hasMore };
  }

  whenGrown(wake: () => void): void {
    this.#wake = wake;
  }

  async finish(segment: number): Promise<void> {
    this.finished.push(segment);
  }

  rewind(): void {
    this.#segment = 0;
    this.#offset = 0;
  }

  #tellGrown(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}

/** An in-memory ledger, and a log in front of it, with faults set by the test. */
class MemoryLedger implements EventLog, Confirmation {
  readonly known = new Set<string>();
  readonly batches: EventBatch[] = [];
  readonly questions: { atMs: number; ids: readonly string[] }[] = [];
  readonly #clock: VirtualClock;
  answer: (batch: EventBatch) => DeliveryAnswer = (batch) => this.settle(batch);
  isSilent = false;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  settle(batch: EventBatch): DeliveryAnswer {
    for (const id of idsIn(batch.ranges)) this.known.add(id);
    return "settled";
  }

  async deliver(batch: EventBatch): Promise<DeliveryAnswer> {
    this.batches.push(batch);
    return this.answer(batch);
  }

  async findMissing(text: string): Promise<readonly number[]> {
    const ids = idsAsked(text);
    this.questions.push({ atMs: this.#clock.nowMs, ids });
    if (this.isSilent) throw new Error("the ledger is away");
    return positionsMissing(ids, (id) => this.known.has(id));
  }
}

/** Creates a delivery with an in-memory journal and ledger. */
export function buildWorld() {
  const clock = new VirtualClock();
  const journal = new MemoryJournal();
  const ledger = new MemoryLedger(clock);
  const troubles: DeliveryStep[] = [];
  let batches = 0;
  const delivery = new Delivery(
    {
      source: journal,
      eventLog: ledger,
      confirmation: ledger,
      clock,
      makeBatchId: () => `batch-${++batches}`,
      onBacklog: () => {},
      onTrouble: (step) => troubles.push(step),
    },
    { parallelBatches: 2 },
  );
  return { clock, journal, ledger, delivery, troubles };
}

/** Lets all ready promises settle. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
}
