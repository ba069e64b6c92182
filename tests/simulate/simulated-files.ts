import type { ListedSegment, SegmentFiles } from "@tollgate/journal/delivery/segment-source.ts";
import type { JournalDirectory } from "./disk.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** Files in a simulated directory, as seen by one process. */
export class SimulatedFiles implements SegmentFiles {
  readonly #process: SimulatedProcess;
  readonly #directory: JournalDirectory;

  constructor(process: SimulatedProcess, directory: JournalDirectory) {
    this.#process = process;
    this.#directory = directory;
  }

  async list(): Promise<readonly ListedSegment[]> {
    const { segments, done } = this.#directory;
    return segments.map(({ number }) => ({ number, isDone: done.has(number) }));
  }

  /**
   * Returns all written data, whether synced or not, because a reader sees the page cache. The zeros of the prepared
   * segment follow the data.
   */
  async read(number: number, offset: number, length: number): Promise<Buffer | null> {
    const segment = this.#directory.segments[number - 1];
    return segment === undefined ? null : segment.bytes.subarray(offset, offset + length);
  }

  async markDone(number: number): Promise<void> {
    await this.#process.pause(0.1);
    this.#directory.done.add(number);
  }

  async clearDone(): Promise<void> {
    await this.#process.pause(0.1);
    this.#directory.done.clear();
  }
}
