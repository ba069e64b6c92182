import { mkdirSync, rmSync } from "node:fs";
import type { Database } from "@tollgate/db/connect.ts";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import { type CloseRecord, toUsageEvent } from "@tollgate/journal/decode-record.ts";
import { listSegments, markDone, readSegment } from "@tollgate/journal/journal-directory.ts";
import { scanSegment } from "@tollgate/journal/scan-segment.ts";
import { writeClosings } from "@tollgate/journal/write-closings.ts";

const BATCH_EVENTS = 500;
const SALT = 0x5eed_de30;

/** The journal of a gateway that served the demo's requests. Its records are settled as those of any other gateway. */
export class DemoJournal {
  readonly #directory: string;
  readonly #nodeId: string;

  constructor(directory: string, nodeId: string) {
    this.#directory = directory;
    this.#nodeId = nodeId;
    mkdirSync(directory, { recursive: true });
  }

  /** Writes a segment with these closing records, reads it back, and settles its events in the ledger. */
  async settle(db: Database, closings: readonly CloseRecord[], createdAtMs: number): Promise<void> {
    await writeClosings(this.#directory, { nodeId: this.#nodeId, epoch: 1, createdAtMs, salt: SALT }, closings);
    for (const segment of await listSegments(this.#directory)) {
      if (segment.isDone) continue;
      const bytes = await readSegment(segment);
      if (bytes === null) throw new Error(`${segment.path} is missing`);
      const records = scanSegment(bytes).records.map(({ record }) => record);
      const events = records.flatMap((record) => (record.kind === "close" ? [toUsageEvent(record, this.#nodeId)] : []));
      for (let first = 0; first < events.length; first += BATCH_EVENTS) {
        const outcomes = await settleUsage(db, events.slice(first, first + BATCH_EVENTS));
        for (const [id, outcome] of outcomes)
          if (outcome !== "settled") throw new Error(`the request ${id} of the demo was not settled but ${outcome}`);
      }
      await markDone(this.#directory, segment.number);
    }
  }

  /** Removes the journal. The ledger has all its events, and the demo's database is never restored from a backup. */
  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
