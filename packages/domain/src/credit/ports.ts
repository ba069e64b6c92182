import type { AdmissionRule } from "./admission.ts";
import type { HeartbeatAnswer, LeaseAnswer, LeaseRequest, LeaseUse, PendingEvent } from "./lease-messages.ts";

/** A node's source of time. */
export interface Clock {
  /** Monotonic time, which also advances while the process is suspended. */
  monotonicMs(): number;
  wallMs(): number;
  /** Runs the work once after this delay, unless the returned function is called first. */
  after(ms: number, work: () => void): () => void;
}

/** A heartbeat from one node. */
export interface Heartbeat {
  readonly nodeId: string;
  readonly epoch: number;
  /** Heartbeat number, which increases by one with each heartbeat sent, whether or not it is answered. */
  readonly beat: number;
  readonly uses: readonly LeaseUse[];
  readonly oldestUnconfirmedAtMs: number | null;
}

/** The part of the ledger that leases credit to nodes. Each call may fail with an unknown outcome. */
export interface CreditLedger {
  registerNode(nodeId: string, knownEpoch: number): Promise<{ readonly epoch: number; readonly liveNodes: number }>;
  heartbeat(beat: Heartbeat): Promise<HeartbeatAnswer>;
  lease(
    nodeId: string,
    epoch: number,
    admission: AdmissionRule,
    requests: readonly LeaseRequest[],
  ): Promise<readonly LeaseAnswer[]>;
  /** Returns to the ledger the credit leased in earlier epochs, except the amounts that these events need. */
  closeLeases(nodeId: string, beforeEpoch: number, pending: readonly PendingEvent[]): Promise<void>;
}
