import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import {
  encodeCheckpoint,
  encodeClose,
  encodeOpen,
  type RecordSpace,
  recordSpace,
} from "@tollgate/journal/encode-record.ts";
import { finalizeGroup, GROUP_HEADER_BYTES } from "@tollgate/journal/group.ts";
import type { ClosingFacts, JournaledCall } from "@tollgate/journal/journaled-call.ts";
import type { Random } from "../random.ts";
import type { SegmentFile } from "./disk.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

const COMPANY_MS = 5;
const ROOM_BYTES = 256 * 1_024;

/** What a journal needs to know about its files. */
export interface JournalFiles {
  /** Adds a segment to the journal's directory. */
  readonly addSegment: () => SegmentFile;
  /** Size at which the journal continues in another segment. */
  readonly segmentBytes: number;
  /** Maximum duration of a sync, except for a few syncs that take much longer. */
  readonly syncMs: number;
}

/** Group commit to simulated files. A sync starts when the previous one has ended and a caller is waiting. */
export class SimulatedJournal {
  /** Number of the first segment that this journal writes. */
  readonly firstSegment: number;
  readonly #process: SimulatedProcess;
  readonly #files: JournalFiles;
  readonly #random: Random;
  #segment: SegmentFile;
  readonly #space: RecordSpace = recordSpace(Buffer.alloc(ROOM_BYTES));
  #end = GROUP_HEADER_BYTES;
  #onSynced: (() => void)[] = [];
  /** Callbacks of the group being synced; null if there is none. */
  #syncing: (() => void)[] | null = null;
  #cancelCompany: (() => void) | null = null;

  constructor(process: SimulatedProcess, files: JournalFiles, random: Random) {
    this.#process = process;
    this.#files = files;
    this.#random = random;
    this.#segment = files.addSegment();
    this.firstSegment = this.#segment.number;
  }

  appendOpen(call: JournaledCall, onSynced: () => void): void {
    this.#end = encodeOpen(this.#space, this.#end, call);
    this.#appended(onSynced, false);
  }

  appendCheckpoint(id: string, usage: Usage, cost: NanoUsd, onSynced: () => void): void {
    this.#end = encodeCheckpoint(this.#space, this.#end, id, usage, cost);
    this.#appended(onSynced, false);
  }

  appendClose(call: JournaledCall, facts: ClosingFacts, onSynced: () => void): void {
    this.#end = encodeClose(this.#space, this.#end, call, facts);
    this.#appended(onSynced, true);
  }

  /** Resolves once all appended records are on disk. */
  flushed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#onSynced.length > 0) this.#onSynced.push(resolve);
      else if (this.#syncing !== null) this.#syncing.push(resolve);
      else resolve();
    });
  }

  #appended(onSynced: () => void, hasWaiters: boolean): void {
    this.#onSynced.push(onSynced);
    if (hasWaiters) this.#sync();
    else this.#cancelCompany ??= this.#process.after(COMPANY_MS, () => this.#sync());
  }

  #sync(): void {
    if (this.#syncing !== null || this.#onSynced.length === 0) return;
    this.#cancelCompany?.();
    this.#cancelCompany = null;
    const onSynced = this.#onSynced;
    this.#onSynced = [];
    this.#syncing = onSynced;
    const { segmentBytes, syncMs } = this.#files;
    if (this.#segment.written + this.#end > segmentBytes) this.#segment = this.#files.addSegment();
    const segment = this.#segment;
    finalizeGroup(this.#space.bytes, this.#space.view, this.#end - GROUP_HEADER_BYTES, segment.salt);
    segment.write(this.#space.bytes.subarray(0, this.#end));
    this.#end = GROUP_HEADER_BYTES;
    const position = segment.written;
    const mostMs = this.#random.chance(0.02) ? 400 + syncMs * 4 : syncMs;
    this.#process.after(0.1 + this.#random.next() * mostMs, () => {
      segment.sync(position);
      this.#syncing = null;
      for (const tell of onSynced) tell();
      this.#sync();
    });
  }
}
