import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeliveryThread, type DeliveryThreadOptions } from "@tollgate/gateway/delivery/delivery-thread.ts";
import { Journal } from "@tollgate/gateway/journal/journal.ts";
import type { CostBySource } from "./ledger.fixture.ts";

/** A journal to which closed calls are written as in a gateway. */
interface JournaledCalls {
  readonly directory: string;
  readonly journal: Journal;
  /** Closes this many calls and resolves with their IDs when the calls are on disk. */
  close(count: number): Promise<string[]>;
  remove(): Promise<void>;
}

/** Opens a journal in a new directory. */
export async function openJournal(books: CostBySource, segmentBytes = 256 * 1_024): Promise<JournaledCalls> {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-delivery-"));
  const sizes = { segmentBytes, emergencyBytes: 64 * 1_024 };
  const journal = await Journal.open({ directory, nodeId: books.nodeId, epoch: 1, ...sizes });
  return {
    directory,
    journal,
    close: async (count) => {
      const ids: string[] = [];
      for (let index = 0; index < count; index += 1) {
        const call = books.makeCall();
        ids.push(call.id);
        journal.appendOpen(call);
        journal.appendClose(call, books.closing(), null);
        if (index % 200 === 199) await journal.flush();
      }
      await journal.flush();
      return ids;
    },
    remove: async () => {
      await journal.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Starts a delivery thread for one live journal and collects its errors. */
export function deliver(
  options: Pick<DeliveryThreadOptions, "connectionString" | "carrier"> & { readonly calls: JournaledCalls },
): { readonly thread: DeliveryThread; readonly troubles: string[] } {
  const troubles: string[] = [];
  const { directory, journal } = options.calls;
  const { news, synced, firstSegment } = journal;
  const thread = DeliveryThread.start({
    connectionString: options.connectionString,
    carrier: options.carrier,
    journals: [{ directory, writer: { news, synced, firstSegment } }],
    onTrouble: (step, error) => troubles.push(`${step}: ${error.message}`),
    onDamage: ({ segment, position }) => troubles.push(`damage at ${segment}:${position}`),
  });
  return { thread, troubles };
}
