import { type JournalSignal, readSynced } from "@tollgate/journal/delivery/journal-signal.ts";
import type { JournalWriter } from "./delivery-messages.ts";

/** Returns the signal of a journal that this process writes to. The journal's thread notifies the word after each change. */
export function writerSignal({ news, synced, firstSegment }: JournalWriter): JournalSignal {
  return {
    firstSegment,
    version: () => Atomics.load(news, 0),
    synced: () => readSynced(synced),
    wait: (version, wake) => {
      const { async: isAsync, value } = Atomics.waitAsync(news, 0, version);
      if (isAsync) void value.then(wake);
      else queueMicrotask(wake);
    },
  };
}
