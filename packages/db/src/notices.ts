import { setTimeout as pause } from "node:timers/promises";
import type { BudgetWindow } from "@tollgate/domain/credit/budget-window.ts";
import { Client } from "pg";

/** Something that a process may have cached is no longer so. `everything` means that notices may have been missed. */
export type Notice =
  | { readonly kind: "key"; readonly id: string; readonly hashes: readonly string[] }
  | { readonly kind: "team"; readonly id: string }
  | { readonly kind: "organization"; readonly id: string }
  /** Idle credit of a purse is wanted back: there is no more of it, and someone waits. */
  | { readonly kind: "recall"; readonly organizationId: string; readonly recall: number; readonly purse: RecalledPurse }
  /** An organization has more credit than before. */
  | { readonly kind: "credit"; readonly organizationId: string }
  /** Models or providers of the catalogue were changed. */
  | { readonly kind: "catalogue" }
  | { readonly kind: "everything" };

export type RecalledPurse =
  | { readonly kind: "credit" }
  | ({ readonly kind: "budget" } & Pick<BudgetWindow, "scope" | "scopeId" | "startsAtMs">);

export interface NoticeListener {
  /** Resolves when notices arrive for the first time. */
  readonly listening: Promise<void>;
  close(): Promise<void>;
}

const CHANNEL = "tollgate_notice";
const CONNECT_LIMIT_MS = 2_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
// A connection that died without a word looks like one on which nothing changes, so it is asked now and then.
const HEARTBEAT_MS = 5_000;
const HEARTBEAT_LIMIT_MS = 2_000;

/** Hears every notice for as long as it is not closed: `onLost` tells of a broken connection, which is made again with growing pauses. */
export function listenForNotices(
  connectionString: string,
  onNotice: (notice: Notice) => void,
  onLost: (error: Error) => void,
): NoticeListener {
  const closing = new AbortController();
  const first = Promise.withResolvers<void>();
  let wasListening = false;

  async function keepListening(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!closing.signal.aborted) {
      const client = new Client({
        connectionString,
        application_name: "tollgate notices",
        connectionTimeoutMillis: CONNECT_LIMIT_MS,
        query_timeout: HEARTBEAT_LIMIT_MS,
        keepAlive: true,
      });
      try {
        const broken = watch(client);
        client.on("notification", ({ payload = "" }) => onNotice(JSON.parse(payload)));
        await client.connect();
        await client.query(`listen ${CHANNEL}`);
        if (wasListening) onNotice({ kind: "everything" });
        wasListening = true;
        retryMs = FIRST_RETRY_MS;
        first.resolve();
        await Promise.race([broken, beat(client)]);
      } catch (error) {
        if (!closing.signal.aborted) onLost(error as Error);
      } finally {
        await client.end().catch(() => {});
      }
      // Half of the pause is chance, so that a fleet does not come back in step.
      await rest(retryMs * (0.5 + Math.random() / 2));
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    }
  }

  /** Rejects when the connection breaks, resolves when the listener is closed. */
  function watch(client: Client): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    client.once("error", reject);
    client.once("end", () => reject(new Error("the database closed the connection")));
    closing.signal.addEventListener("abort", () => resolve(), { once: true });
    promise.catch(() => {}); // connect() or the heartbeat may report the same break first
    return promise;
  }

  async function beat(client: Client): Promise<void> {
    while (!closing.signal.aborted) {
      await rest(HEARTBEAT_MS);
      if (!closing.signal.aborted) await client.query("select 1");
    }
  }

  const rest = (ms: number) => pause(ms, undefined, { signal: closing.signal }).catch(() => {});
  const done = keepListening();
  return {
    listening: first.promise,
    close: async () => {
      closing.abort();
      await done;
    },
  };
}
