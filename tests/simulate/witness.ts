import type { JournalDirectory } from "./disk.ts";

/** Data about one call, as seen by its client and its upstream. The code under test does not read this data. */
export interface CallRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly directory: JournalDirectory;
  readonly arrivedAtMs: number;
  /** Hold of the call, including extensions. */
  hold: bigint;
  /** Price of the output that the upstream has delivered, in nano-USD. */
  delivered: bigint;
  /** Cost in the newest checkpoint that is known to be on disk. */
  syncedCost: bigint;
  /** Cost of attempts at the operator's expense, and the part that is known to be on disk. */
  lost: bigint;
  syncedLost: bigint;
  isOpenSynced: boolean;
  /** Cost in the gateway's closing record; null while the call is running, or if the gateway died first. */
  closedCost: bigint | null;
  state: "waiting" | "denied" | "running" | "completed";
}

/** A record of everything that happened outside the ledger. */
export class Witness {
  readonly calls = new Map<string, CallRecord>();
  /** Number of holds that nodes refused for lack of credit or budget. */
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

  /** Records a violation. Only the first violation of a run is relevant. */
  complain(what: string): void {
    this.complaints.push(what);
  }
}
