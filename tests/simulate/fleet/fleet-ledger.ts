import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import type { LeaseAnswer, LeaseRequest } from "@tollgate/domain/credit/lease-messages.ts";
import type { CreditLedger } from "@tollgate/domain/credit/ports.ts";
import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { idsAsked, positionsMissing } from "@tollgate/journal/delivery/bare-closing.fixture.ts";
import { type ChangeNotification, ModelLedger } from "../model-ledger.ts";
import type { FleetTime } from "./fleet-time.ts";
import { StatementCounts } from "./statement-counts.ts";

/** Database latencies, including the network. These are assumptions, not measurements. */
const LEASE_MS = 1.5;
const LEASE_MS_PER_ORGANIZATION = 0.1;
const SETTLE_MS = 5;
const SETTLE_MS_PER_EVENT = 0.05;
const SHORT_MS = 1;
const NOTICE_MS = 1;
const ALIVE_MS = 30_000;

/** Simulated database for a fleet. Applies the ledger rules of the small simulations and counts every statement. */
export class FleetLedger implements CreditLedger {
  readonly counts = new StatementCounts();
  readonly #time: FleetTime;
  readonly #model: ModelLedger;
  /** IDs of settled events. The events themselves would not fit into memory. */
  readonly #settled = new Set<string>();

  constructor(time: FleetTime, onRecall: (organizationId: string, recall: number, nodes: readonly string[]) => void) {
    this.#time = time;
    const receive = (notice: ChangeNotification) => {
      if (notice.kind !== "recall") return;
      this.counts.recalls += 1;
      time.after(NOTICE_MS, () => onRecall(notice.organizationId, notice.recall, notice.nodes ?? []));
    };
    this.#model = new ModelLedger(() => time.nowMs, receive, "none");
  }

  addOrganization(id: string, credit: bigint): void {
    const organization = this.#model.addOrganization(id, []);
    organization.balance = credit;
    organization.granted = credit;
  }

  registerNode(nodeId: string, knownEpoch: number): Promise<{ epoch: number; liveNodes: number }> {
    return this.#time.answerAfter(SHORT_MS, () => this.#model.registerNode(nodeId, knownEpoch));
  }

  /** Skips reviving leases and scanning all organizations, because no gateway in a fleet dies. */
  heartbeat({ nodeId, beat }: { readonly nodeId: string; readonly beat: number }) {
    this.counts.heartbeats += 1;
    return this.#time.answerAfter(SHORT_MS, () => {
      const { nodes } = this.#model.rows;
      const node = nodes.get(nodeId);
      if (node === undefined) throw new Error(`${nodeId} was never registered`);
      const previousBeat = node.beat;
      node.beat = beat;
      node.aliveUntilMs = this.#time.nowMs + ALIVE_MS;
      return { kind: "alive", liveNodes: nodes.size, previousBeat } as const;
    });
  }

  lease(
    nodeId: string,
    epoch: number,
    admission: AdmissionRule,
    requests: readonly LeaseRequest[],
  ): Promise<readonly LeaseAnswer[]> {
    this.counts.countLease(requests);
    const takesMs = LEASE_MS + LEASE_MS_PER_ORGANIZATION * requests.length;
    // The rows change halfway through the latency, after the statement arrives and before its response leaves.
    return this.#time
      .answerAfter(takesMs / 2, () => this.#model.lease({ nodeId, epoch, admission, requests }))
      .then((answers) => this.#time.answerAfter(takesMs / 2, () => answers));
  }

  /** Changes no rows, because the runs in a fleet have no earlier leases to return. */
  closeLeases(): Promise<void> {
    return this.#time.answerAfter(SHORT_MS, () => {});
  }

  settle(events: readonly UsageEvent[]): Promise<void> {
    this.counts.settles += 1;
    this.counts.settledEvents += events.length;
    return this.#time.answerAfter(SETTLE_MS + SETTLE_MS_PER_EVENT * events.length, () => {
      // Settles each event once by its ID, like `settle_usage`. The IDs outlive the rows.
      const fresh = events.filter(({ id }) => !this.#settled.has(id));
      this.#model.settle(fresh);
      for (const { id } of fresh) this.#settled.add(id);
      this.#model.rows.events.clear();
      this.#model.rows.transactions.clear();
    });
  }

  findMissing(ids: string): Promise<readonly number[]> {
    this.counts.confirms += 1;
    return this.#time.answerAfter(SHORT_MS, () => positionsMissing(idsAsked(ids), (id) => this.#settled.has(id)));
  }

  /** Returns the organizations' total spend beyond their credit, and the total charge. */
  audit(): { overspend: bigint; charged: bigint } {
    let [overspend, charged] = [0n, 0n];
    for (const { balance, used, granted } of this.#model.rows.organizations.values()) {
      if (used > granted) overspend += used - granted;
      if (granted - used !== balance) throw new Error("a balance is not what was granted less what was used");
      charged += used;
    }
    return { overspend, charged };
  }
}
