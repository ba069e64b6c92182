import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import { CreditNode } from "@tollgate/domain/credit/credit-node.ts";
import type { Denial, Hold, HoldRequest } from "@tollgate/domain/credit/hold.ts";
import type { Clock } from "@tollgate/domain/credit/ports.ts";
import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { bareClosing, idsIn, openedOf, rangeOf } from "@tollgate/journal/delivery/bare-closing.fixture.ts";
import { Delivery } from "@tollgate/journal/delivery/deliver-events.ts";
import type { EventBatch, JournalSource } from "@tollgate/journal/delivery/delivery-ports.ts";
import { EVENT_TEMPLATE } from "./event-template.ts";
import type { FleetLedger } from "./fleet-ledger.ts";
import type { FleetTime } from "./fleet-time.ts";

/** Maximum number of concurrent publish requests per gateway. */
const PARALLEL_PUBLISHES = 4;
const PUBLISH_MS = 2;
/** How often a gateway reads the change feed. While the feed is current, it reads each key once. */
const FEED_EVERY_MS = 4_000;
/** Larger than any hold in a fleet. */
const MAX_HOLD = 10n ** 15n;
const NONE_OPENED = openedOf([]);

export interface FleetGatewayPorts {
  readonly time: FleetTime;
  readonly ledger: FleetLedger;
  readonly admission: AdmissionRule;
  /** Called when a batch has reached the log. */
  readonly publish: (events: readonly UsageEvent[]) => void;
  /** Called when a call has completed. */
  readonly completed: (cost: bigint) => void;
  readonly denied: (organizationId: string, denial: Denial) => void;
}

/** A gateway as the database sees it: the real credit node and delivery, without encoding, disks, or crashes. */
export class FleetGateway {
  readonly #ports: FleetGatewayPorts;
  readonly #credit: CreditNode;
  readonly #delivery: Delivery;
  readonly #nodeId: string;
  /** Ranks of the organizations whose key this gateway has read. No key changes, and all of them fit into the cache. */
  readonly #keys = new Set<number>();
  #journal: Buffer[] = [];
  #onGrown: (() => void) | null = null;
  readonly #events = new Map<string, UsageEvent>();
  #calls = 0;

  constructor(index: number, ports: FleetGatewayPorts) {
    const { time, ledger, admission } = ports;
    this.#ports = ports;
    this.#nodeId = `gateway-${index}`;
    const clock: Clock = {
      monotonicMs: () => time.nowMs,
      wallMs: () => time.nowMs,
      after: (ms, work) => time.after(ms, work),
    };
    this.#credit = new CreditNode({
      nodeId: this.#nodeId,
      clock,
      ledger: ledger,
      admission,
      maxHold: MAX_HOLD,
      onEpoch: () => {},
      onRestored: () => {
        throw new Error("no database is restored here");
      },
      oldestUnconfirmedAtMs: () => this.#delivery.oldestUnconfirmedAtMs,
      pendingEvents: () => Promise.resolve([]),
    });
    let batches = 0;
    this.#delivery = new Delivery(
      {
        source: this.#source(),
        eventLog: { deliver: (batch) => this.#deliver(batch) },
        confirmation: ledger,
        clock,
        makeBatchId: () => `${this.#nodeId}/${batches++}`,
        onBacklog: () => {},
        onTrouble: (step, error) => {
          throw new Error(`${step} failed where nothing can fail`, { cause: error });
        },
      },
      { parallelBatches: PARALLEL_PUBLISHES },
    );
  }

  async start(): Promise<void> {
    await this.#credit.start(0, []);
    this.#delivery.start();
    this.#readFeed();
  }

  /** Returns the number of events that the ledger has not confirmed. */
  get backlog(): number {
    return this.#delivery.backlog + this.#journal.length;
  }

  recall(organizationId: string, number: number, nodes: readonly string[]): void {
    this.#credit.recall(organizationId, { kind: "credit" }, number, nodes);
  }

  /** Makes one call, from its key lookup to its closing record. */
  call(rank: number, organizationId: string, amount: bigint, cost: bigint, lastsMs: number): void {
    const { ledger, denied } = this.#ports;
    this.#readKey(rank);
    ledger.counts.calls += 1;
    const request: HoldRequest = { organizationId, amount, usesCredit: true, budgets: [] };
    const hold = this.#credit.take(request);
    if (hold !== null) return this.#run(hold, cost, lastsMs);
    ledger.counts.callsThatWaited += 1;
    this.#credit.wait(request, {
      granted: (granted) => this.#run(granted, cost, lastsMs),
      denied: (denial) => denied(organizationId, denial),
    });
  }

  #run(hold: Hold, cost: bigint, lastsMs: number): void {
    this.#ports.time.afterSilently(lastsMs, () => {
      const amount = hold.amount;
      const { fromLease } = this.#credit.release(hold, cost);
      const id = `${this.#nodeId}.${this.#calls++}`;
      const { organizationId, epoch } = hold;
      const nodeId = this.#nodeId;
      const endedAtMs = this.#ports.time.nowMs;
      this.#events.set(id, {
        ...EVENT_TEMPLATE,
        id,
        organizationId,
        cost,
        hold: amount,
        fromLease,
        nodeId,
        epoch,
        endedAtMs,
      });
      this.#journal.push(bareClosing(id, endedAtMs));
      this.#tellGrown();
      this.#ports.completed(cost);
    });
  }

  #readKey(rank: number): void {
    if (this.#keys.has(rank)) return;
    this.#keys.add(rank);
    this.#ports.ledger.counts.keys += 1;
  }

  #readFeed(): void {
    const { time, ledger } = this.#ports;
    ledger.counts.feedReads += 1;
    time.afterSilently(FEED_EVERY_MS, () => this.#readFeed());
  }

  #source(): JournalSource {
    return {
      read: (limit) => {
        if (this.#journal.length === 0) return Promise.resolve(null);
        const closed = rangeOf(this.#journal.slice(0, limit));
        this.#journal = this.#journal.slice(limit);
        const origin = { nodeId: this.#nodeId, epoch: 1 };
        const hasMore = this.#journal.length > 0;
        const part = { segment: 1, origin, opened: NONE_OPENED, closed, isDone: false, endsSegment: false, hasMore };
        return Promise.resolve(part);
      },
      whenGrown: (wake) => {
        this.#onGrown = wake;
        if (this.#journal.length > 0) this.#tellGrown();
      },
      finish: () => Promise.resolve(),
      rewind: () => {
        throw new Error("nothing is delivered twice here");
      },
    };
  }

  #tellGrown(): void {
    const wake = this.#onGrown;
    this.#onGrown = null;
    wake?.();
  }

  #deliver(batch: EventBatch): Promise<"carried"> {
    return this.#ports.time.answerAfter(PUBLISH_MS, () => {
      const events = idsIn(batch.ranges).flatMap((id) => {
        const event = this.#events.get(id);
        this.#events.delete(id);
        return event === undefined ? [] : [event];
      });
      this.#ports.publish(events);
      return "carried";
    });
  }
}
