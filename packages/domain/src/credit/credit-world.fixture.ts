import { type AdmissionRule, STRICT_ADMISSION } from "./admission.ts";
import { CreditNode } from "./credit-node.ts";
import type { Denial, HeldBudget, Hold, HoldRequest, HoldWaiter } from "./hold.ts";
import type { PendingEvent } from "./lease-messages.ts";
import { SmallLedger } from "./small-ledger.fixture.ts";
import { VirtualClock } from "./virtual-clock.fixture.ts";

/** Records the outcome that a waiter received. */
export class Received implements HoldWaiter {
  hold: Hold | null = null;
  denial: Denial | null = null;
  times = 0;

  granted(hold: Hold): void {
    this.hold = hold;
    this.times += 1;
  }

  denied(denial: Denial): void {
    this.denial = denial;
    this.times += 1;
  }
}

export interface NodeInWorld {
  readonly node: CreditNode;
  readonly epochs: number[];
  restorations: number;
  pending: readonly PendingEvent[];
  oldestUnconfirmedAtMs: number | null;
}

/** An amount larger than any hold in the tests. */
const UNLIMITED = 10n ** 18n;

/** Several nodes with one ledger and one clock. */
export class CreditWorld {
  readonly clock = new VirtualClock();
  readonly ledger = new SmallLedger(this.clock);
  readonly nodes: NodeInWorld[] = [];

  constructor() {
    this.ledger.onRecall = (organizationId, allowance, number, nodes) => {
      for (const { node } of this.nodes) node.recall(organizationId, allowance, number, nodes);
    };
  }

  addNode(nodeId: string, admission: AdmissionRule = STRICT_ADMISSION, maxHold = UNLIMITED): NodeInWorld {
    const inWorld: NodeInWorld = {
      epochs: [],
      restorations: 0,
      pending: [],
      oldestUnconfirmedAtMs: null,
      node: new CreditNode({
        nodeId,
        admission,
        maxHold,
        clock: this.clock,
        ledger: this.ledger,
        onEpoch: (epoch) => inWorld.epochs.push(epoch),
        onRestored: () => {
          inWorld.restorations += 1;
        },
        oldestUnconfirmedAtMs: () => inWorld.oldestUnconfirmedAtMs,
        pendingEvents: () => Promise.resolve(inWorld.pending),
      }),
    };
    this.nodes.push(inWorld);
    return inWorld;
  }

  /** Starts a node and waits for its registration. */
  async startNode(nodeId: string, admission?: AdmissionRule, maxHold?: bigint): Promise<NodeInWorld> {
    const inWorld = this.addNode(nodeId, admission, maxHold);
    const started = inWorld.node.start(0, []);
    await this.clock.advance(5);
    await started;
    return inWorld;
  }

  /** Takes a hold, waiting for a statement if needed. */
  async hold(node: CreditNode, request: HoldRequest): Promise<Hold> {
    const taken = node.take(request);
    if (taken !== null) return taken;
    const received = new Received();
    node.wait(request, received);
    await this.clock.advance(20);
    if (received.hold === null) throw new Error(`Not granted: ${received.denial?.kind ?? "still waiting"}`);
    return received.hold;
  }
}

export function wanting(amount: bigint, budgets: readonly HeldBudget[] = [], organizationId = "org"): HoldRequest {
  return { organizationId, amount, usesCredit: true, budgets };
}

export function keyBudget(
  scopeId: string,
  limit: bigint,
  startsAtMs = 0,
  endsAtMs = Number.POSITIVE_INFINITY,
): HeldBudget {
  return { window: { scope: "key", scopeId, startsAtMs, endsAtMs }, limit };
}
