import type { AdmissionRule } from "./admission.ts";
import type { HeartbeatAnswer, LeaseAnswer, LeaseRequest, LeaseUse, PendingEvent } from "./lease-messages.ts";

/** Time as a node sees it. */
export interface Clock {
  /** Never goes back and goes on while the process is stopped. */
  monotonicMs(): number;
  wallMs(): number;
  /** Does the work once after so long, unless the function it gives back is called before. */
  after(ms: number, work: () => void): () => void;
}

/** One sign of life. */
export interface Heartbeat {
  readonly nodeId: string;
  readonly epoch: number;
  /** One higher with each that is sent, answered or not. */
  readonly beat: number;
  readonly uses: readonly LeaseUse[];
  readonly oldestUnconfirmedAtMs: number | null;
}

/** The side of the ledger that sets credit aside for nodes. Each call may fail with its outcome unknown. */
export interface CreditLedger {
  registerNode(nodeId: string, knownEpoch: number): Promise<{ readonly epoch: number; readonly liveNodes: number }>;
  heartbeat(beat: Heartbeat): Promise<HeartbeatAnswer>;
  lease(
    nodeId: string,
    epoch: number,
    admission: AdmissionRule,
    requests: readonly LeaseRequest[],
  ): Promise<readonly LeaseAnswer[]>;
  /** Gives back what leases of epochs before this one hold, except for the share of these events. */
  closeLeases(nodeId: string, beforeEpoch: number, pending: readonly PendingEvent[]): Promise<void>;
}
