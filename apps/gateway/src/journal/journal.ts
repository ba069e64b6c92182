import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { encodeCheckpoint, encodeClose, encodeOpen } from "@tollgate/journal/encode-record.ts";
import { DEFAULT_RETENTION, listSegments } from "@tollgate/journal/journal-directory.ts";
import type { ClosingFacts, JournaledCall } from "@tollgate/journal/journaled-call.ts";
import type { JournalThreadData, ThreadMessage } from "./journal-thread.ts";
import { Reserves } from "./reserves.ts";
import {
  allocateRing,
  areReservesReady,
  distance,
  type JournalWaiter,
  RING_BYTES,
  RingWriter,
  type UnsyncedClose,
  viewRing,
  WaiterQueue,
  Word,
} from "./ring.ts";

/**
 * `full` means that there is no space for another segment, but running calls can still be closed. `failed` means that
 * the process must exit.
 */
export type JournalState = "ok" | "full" | "failed";

export interface JournalOptions {
  readonly directory: string;
  readonly nodeId: string;
  readonly epoch: number;
  readonly segmentBytes?: number;
  readonly emergencyBytes?: number;
  readonly capBytes?: number;
  /** Records the end of a call elsewhere if the journal can't be written. Resolves when the record is stored. */
  readonly rescue?: (call: JournaledCall, facts: ClosingFacts) => Promise<void>;
  /** Called for each state change, with the reason if known. */
  readonly onStateChange?: (state: JournalState, reason: unknown) => void;
}

const SEGMENT_BYTES = 32 * 1_024 * 1_024;
const EMERGENCY_BYTES = 16 * 1_024 * 1_024;
const SMALLEST_SEGMENT_BYTES = 64 * 1_024;

/** Half of the ring is reserved for the closing records of running calls. */
const ADMIT_BYTES = RING_BYTES / 2;

/**
 * Maximum time that an open record or a checkpoint waits to be grouped with other records. No call waits for either to
 * be written.
 */
const COMPANY_MS = 5;

const PROBE_MS = 250;

const CANNOT_WRITE = "The journal is no longer writable.";

/** The gateway's usage journal. A separate thread writes it, with many records per sync. */
export class Journal {
  /** Number of the first segment that this process writes. */
  readonly firstSegment: number;
  readonly #ring: RingWriter;
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #waiters = new WaiterQueue();
  readonly #reserves: Reserves;
  readonly #thread: Worker;
  readonly #hasEnded: Promise<void>;
  readonly #onStateChange: NonNullable<JournalOptions["onStateChange"]>;
  #state: JournalState = "ok";
  #isWakeScheduled = false;
  /** True if more than one call waited for the last sync. */
  #isShared = false;
  /** Position up to which the thread was asked to write. */
  #wanted = 0;
  #companyTimer: NodeJS.Timeout | null = null;
  #probeTimer: NodeJS.Timeout | null = null;
  #replenishing: Promise<void> | null = null;
  #synced = 0;
  #isClosing = false;
  #hasThreadEnded = false;
  /** True if the journal can't be written. */
  #isDead = false;
  readonly #rescue: NonNullable<JournalOptions["rescue"]>;
  /** Resolves when all rescued records are stored. */
  #rescued: Promise<void> = Promise.resolve();
  readonly #flushes: { readonly position: number; readonly resolve: () => void }[] = [];

  /** Opens the journal in a directory that this process has locked. It opens even if the disk is full. */
  static async open(options: JournalOptions): Promise<Journal> {
    const segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    if (segmentBytes < SMALLEST_SEGMENT_BYTES)
      throw new Error(`A segment requires at least ${SMALLEST_SEGMENT_BYTES} bytes.`);
    const memory = allocateRing();
    const data: JournalThreadData = {
      memory,
      owner: { directory: options.directory, nodeId: options.nodeId, epoch: options.epoch },
      lastNumber: (await listSegments(options.directory)).at(-1)?.number ?? 0,
      next: { file: "next.reserve", byteLength: segmentBytes },
      emergency: { file: "emergency.reserve", byteLength: options.emergencyBytes ?? EMERGENCY_BYTES },
    };
    const { words } = viewRing(memory);
    const retention = { ...DEFAULT_RETENTION, capBytes: options.capBytes ?? DEFAULT_RETENTION.capBytes };
    const { next, emergency } = data;
    const reserves = new Reserves({ directory: options.directory, words, next, emergency, retention });
    const reason: unknown = await reserves.prepareFirst().then(
      () => null,
      (error: unknown) => error,
    );
    const journal = new Journal(options, data, reserves);
    await once(journal.#thread, "message");
    if (reason !== null) journal.#change("full", reason);
    return journal;
  }

  private constructor(options: JournalOptions, data: JournalThreadData, reserves: Reserves) {
    this.#words = viewRing(data.memory).words;
    this.#ring = new RingWriter(viewRing(data.memory));
    this.#reserves = reserves;
    this.firstSegment = data.lastNumber + 1;
    this.#onStateChange = options.onStateChange ?? (() => undefined);
    this.#rescue = options.rescue ?? (() => Promise.reject(new Error("no fallback journal is configured")));
    this.#thread = new Worker(new URL("./journal-thread.ts", import.meta.url), {
      workerData: data,
      name: "journal",
    });
    this.#hasEnded = new Promise((resolve) => {
      this.#thread.once("exit", () => {
        this.#hasThreadEnded = true;
        this.#receive();
        if (!this.#isClosing || !this.#waiters.isEmpty) this.#die(new Error("The journal thread exited unexpectedly."));
        resolve();
      });
    });
    this.#thread.once("error", (error) => this.#die(error));
    this.#thread.on("message", (message: ThreadMessage) => {
      if (message.kind === "failed") this.#change("failed", message.error);
    });
    this.#listen();
  }

  get state(): JournalState {
    return this.#state;
  }

  /**
   * False while the journal can't guarantee space for more records. New calls must then be refused before they are sent
   * upstream.
   */
  get canAdmit(): boolean {
    return this.#state === "ok" && !this.#isClosing && this.#ring.usedBytes < ADMIT_BYTES;
  }

  /** Position up to which all records are on disk. */
  get position(): { readonly segment: number; readonly offset: number } {
    return { segment: Atomics.load(this.#words, Word.segment), offset: Atomics.load(this.#words, Word.offset) };
  }

  /** Two words of shared memory: the segment and the offset of `position`. A reader needs `readSynced`. */
  get synced(): Int32Array<SharedArrayBuffer> {
    return this.#words.subarray(Word.segment, Word.offset + 1);
  }

  /**
   * One word of shared memory that changes, with a notification, whenever records were synced or another segment was
   * begun.
   */
  get news(): Int32Array<SharedArrayBuffer> {
    return this.#words.subarray(Word.news, Word.news + 1);
  }

  /** Records that a call is about to be sent upstream. */
  appendOpen(call: JournaledCall): void {
    if (this.#isDead) return;
    const space = this.#ring.space;
    const start = this.#ring.placeIn(space);
    this.#ring.commit(space, start, encodeOpen(space, start, call));
    this.#wantSoon();
  }

  /** Records a running call's current usage. */
  appendCheckpoint(id: string, usage: Usage, cost: NanoUsd): void {
    if (this.#isDead) return;
    const space = this.#ring.space;
    const start = this.#ring.placeIn(space);
    this.#ring.commit(space, start, encodeCheckpoint(space, start, id, usage, cost));
    this.#wantSoon();
  }

  /** Records the end of a call. Waiters are called in order, each after its record is on disk. */
  appendClose(call: JournaledCall, facts: ClosingFacts, waiter: JournalWaiter | null): void {
    if (this.#isDead) {
      this.#saveElsewhere({ position: 0, call, facts, waiter });
      return;
    }
    const space = this.#ring.space;
    const start = this.#ring.placeIn(space);
    const position = this.#ring.commit(space, start, encodeClose(space, start, call, facts));
    this.#waiters.add({ position, call, facts, waiter });
    this.#wantNow();
  }

  /** Resolves when all appended records are on disk or can no longer be written. */
  flush(): Promise<void> {
    if (this.#isDead || this.#ring.end <= this.#synced) return this.#rescued;
    return new Promise((resolve) => {
      this.#flushes.push({ position: this.#ring.end, resolve });
      this.#wantNow();
    });
  }

  /** Writes all records to disk and stops the thread. No record may be appended after this call. */
  async close(): Promise<void> {
    if (this.#isClosing) return this.#hasEnded;
    this.#isClosing = true;
    if (this.#companyTimer !== null) clearTimeout(this.#companyTimer);
    while (this.#ring.isOverflowing && !this.#isDead) await nextTurn();
    Atomics.store(this.#words, Word.closing, 1);
    this.#ringBell();
    await this.#hasEnded;
    if (this.#probeTimer !== null) clearTimeout(this.#probeTimer);
    await this.#replenishing;
    await this.#rescued;
    await this.#reserves.remove();
  }

  #wantSoon(): void {
    this.#companyTimer ??= setTimeout(this.#endCompany, COMPANY_MS);
  }

  /**
   * Wakes the thread immediately for the only call that waits, so that the sync begins while the rest of the turn runs.
   * If several calls waited for the last sync, the thread is woken once for all records of this event loop turn.
   */
  #wantNow(): void {
    if (this.#isWakeScheduled) return;
    if (!this.#isShared && this.#waiters.size <= 1) return this.#wake();
    this.#isWakeScheduled = true;
    setImmediate(this.#wake);
  }

  /** Wakes the thread for records that no call waits for, unless it was woken since they were appended. */
  readonly #endCompany = (): void => {
    this.#companyTimer = null;
    if (this.#ring.head > this.#wanted) this.#wake();
  };

  readonly #wake = (): void => {
    this.#isWakeScheduled = false;
    this.#wanted = this.#ring.head;
    Atomics.store(this.#words, Word.wanted, this.#wanted | 0);
    this.#ringBell();
  };

  #ringBell(): void {
    Atomics.add(this.#words, Word.bell, 1);
    if (Atomics.load(this.#words, Word.isSleeping) === 1) Atomics.notify(this.#words, Word.bell);
  }

  readonly #listen = (): void => {
    for (;;) {
      const news = Atomics.load(this.#words, Word.news);
      this.#receive();
      if (this.#isDead || this.#hasThreadEnded) return;
      const next = Atomics.waitAsync(this.#words, Word.news, news);
      if (!next.async) continue;
      void next.value.then(this.#listen);
      return;
    }
  };

  #receive(): void {
    this.#synced += distance(this.#synced, Atomics.load(this.#words, Word.synced));
    const released = this.#waiters.release(this.#synced);
    if (released > 0) this.#isShared = released > 1;
    while (this.#flushes[0] !== undefined && this.#flushes[0].position <= this.#synced)
      this.#flushes.shift()?.resolve();
    if (this.#ring.drain()) this.#wake();
    if (Atomics.load(this.#words, Word.isDead) === 1) this.#die(new Error(CANNOT_WRITE));
    if (!areReservesReady(this.#words)) this.#replenish();
  }

  #replenish(): void {
    if (this.#replenishing !== null || this.#probeTimer !== null || this.#hasThreadEnded || this.#isDead) return;
    this.#replenishing = this.#reserves
      .replenish()
      .then(
        () => this.#change("ok", null),
        (reason: unknown) => {
          this.#change("full", reason);
          this.#probeTimer = setTimeout(this.#probe, PROBE_MS);
        },
      )
      .finally(() => {
        this.#replenishing = null;
      });
  }

  readonly #probe = (): void => {
    this.#probeTimer = null;
    this.#replenish();
  };

  #die(reason: unknown): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#change("failed", reason);
    this.#ring.discard();
    for (const close of this.#waiters.takeAll()) this.#saveElsewhere(close);
    for (const { resolve } of this.#flushes.splice(0)) resolve();
  }

  /**
   * Stores a record in the rescue target, because the journal can't be written. The response waits until the rescue
   * target has stored the record.
   */
  #saveElsewhere({ call, facts, waiter }: UnsyncedClose): void {
    const saved = this.#rescue(call, facts).then(
      () => waiter?.onJournaled(),
      () => waiter?.onJournalFailed(),
    );
    this.#rescued = Promise.all([this.#rescued, saved]).then(() => {});
  }

  /** Changes the state. A failed journal stays failed, because the process must exit. */
  #change(state: JournalState, reason: unknown): void {
    if (this.#state === state || this.#state === "failed") return;
    this.#state = state;
    this.#onStateChange(state, reason);
  }
}
