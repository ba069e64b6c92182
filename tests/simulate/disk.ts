import { scanSegment } from "@tollgate/journal/scan-segment.ts";
import { encodeHeader, HEADER_BYTES, type SegmentHeader } from "@tollgate/journal/segment-header.ts";
import type { Random } from "../random.ts";

const SECTOR_BYTES = 512;
const FIRST_CAPACITY = 16 * 1_024;

/** A journal file. When the machine loses power, the bytes between the two marks are lost, preserved, or torn. */
export class SegmentFile {
  readonly number: number;
  readonly salt: number;
  bytes: Buffer = Buffer.alloc(FIRST_CAPACITY);
  written = 0;
  synced = 0;
  readonly #onSynced: () => void;

  constructor(number: number, header: SegmentHeader, onSynced: () => void) {
    this.number = number;
    this.salt = header.salt;
    this.#onSynced = onSynced;
    this.write(encodeHeader(header));
    // A segment is prepared, including its header, before any record is written to it.
    this.synced = HEADER_BYTES;
  }

  write(data: Uint8Array): void {
    if (this.written + data.length > this.bytes.length) {
      const larger = Buffer.alloc(Math.max(this.bytes.length * 2, this.written + data.length));
      this.bytes.copy(larger, 0, 0, this.written);
      this.bytes = larger;
    }
    this.bytes.set(data, this.written);
    this.written += data.length;
  }

  /** Records that the file is on disk up to this offset. */
  sync(offset: number): void {
    this.synced = Math.max(this.synced, offset);
    this.#onSynced();
  }

  /** Simulates a power loss: each unsynced sector was either written or not. */
  losePower(random: Random): void {
    const keptChance = random.pick([0, 0.5, 1]);
    for (let at = this.synced - (this.synced % SECTOR_BYTES); at < this.written; at += SECTOR_BYTES) {
      if (random.chance(keptChance)) continue;
      this.bytes.fill(0, Math.max(at, this.synced), Math.min(at + SECTOR_BYTES, this.written));
    }
    this.synced = this.written;
  }
}

/** A journal directory. One process uses it at a time, and it outlives the processes. */
export class JournalDirectory {
  readonly nodeId: string;
  knownEpoch = 0;
  segments: SegmentFile[] = [];
  /** Changes with every sync and every new segment. Watchers are called once, after the next change. */
  version = 0;
  watchers: (() => void)[] = [];
  readonly done = new Set<number>();
  isLocked = false;
  /** True if the disk was lost, with everything on it. */
  isLost = false;

  constructor(nodeId: string) {
    this.nodeId = nodeId;
  }

  addSegment(epoch: number, createdAtMs: number, salt: number): SegmentFile {
    const header = { nodeId: this.nodeId, epoch, createdAtMs, salt };
    const segment = new SegmentFile(this.segments.length + 1, header, () => this.#grow());
    this.segments.push(segment);
    this.#grow();
    return segment;
  }

  #grow(): void {
    this.version += 1;
    const watchers = this.watchers;
    this.watchers = [];
    for (const tell of watchers) tell();
  }

  losePower(random: Random): void {
    for (const segment of this.segments) segment.losePower(random);
    // Directory entries are not synced, so a marker file can disappear.
    for (const number of this.done) if (random.chance(0.3)) this.done.delete(number);
  }

  /** Returns the IDs of all calls that have a closing record. */
  closedCalls(): string[] {
    return this.segments.flatMap(({ bytes, written }) =>
      scanSegment(bytes.subarray(0, written)).records.flatMap(({ record }) =>
        record.kind === "close" ? [record.call.id] : [],
      ),
    );
  }
}
