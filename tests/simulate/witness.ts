import type { JournalDirectory } from "./disk.ts";

/** What really happened in one call, as its client and its upstream saw it. No code under test reads this. */
export interface CallRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly directory: JournalDirectory;
  readonly arrivedAtMs: number;
  /** What was set aside for it, extensions included. */
  hold: bigint;
  /** What the upstream delivered until now, in nano-USD. */
  delivered: bigint;
  /** The cost in the newest checkpoint that is on disk for certain. */
  syncedCost: bigint;
  /** What attempts that the operator pays for cost, and how much of it is on disk for certain. */
  lost: bigint;
  syncedLost: bigint;
  isOpenSynced: boolean;
  /** The cost its gateway wrote down at the end; null while it runs, and for ever if the gateway died first. */
  closedCost: bigint | null;
  state: "waiting" | "denied" | "running" | "completed";
}

/** The record of everything that happened outside the books. */
export class Witness {
  readonly calls = new Map<string, CallRecord>();
  /** Holds that nodes refused because there was not enough, with what the purse had. */
  refused = 0;
  unavailable = 0;
  completed = 0;
  crashes = 0;
  readonly complaints: string[] = [];

  begin(
    call: Omit<
      CallRecord,
      "delivered" | "syncedCost" | "lost" | "syncedLost" | "isOpenSynced" | "closedCost" | "state"
    >,
  ): CallRecord {
    const record: CallRecord = {
      ...call,
      delivered: 0n,
      syncedCost: 0n,
      lost: 0n,
      syncedLost: 0n,
      isOpenSynced: false,
      closedCost: null,
      state: "waiting",
    };
    this.calls.set(call.id, record);
    return record;
  }

  /** Something is wrong. The first complaint of a run is the one to look at. */
  complain(what: string): void {
    this.complaints.push(what);
  }
}
