import { CreditNode } from "@tollgate/domain/credit/credit-node.ts";
import type { Denial, Hold, HoldRequest } from "@tollgate/domain/credit/hold.ts";
import type { PendingEvent } from "@tollgate/domain/credit/lease-messages.ts";
import type { CreditLedger } from "@tollgate/domain/credit/ports.ts";
import { Delivery } from "@tollgate/journal/delivery/deliver-events.ts";
import type { Confirmation, EventLog } from "@tollgate/journal/delivery/delivery-ports.ts";
import type { JournalSignal } from "@tollgate/journal/delivery/journal-signal.ts";
import { SegmentSource } from "@tollgate/journal/delivery/segment-source.ts";
import { encodeIdentity, encodeTarget } from "@tollgate/journal/record-blocks.ts";
import { type Recovered, Recovery } from "@tollgate/journal/recover.ts";
import { scanSegment } from "@tollgate/journal/scan-segment.ts";
import type { Random } from "../random.ts";
import type { ClientCall } from "./client-call.ts";
import type { JournalDirectory } from "./disk.ts";
import type { Plan } from "./plan.ts";
import type { Scheduler } from "./scheduler.ts";
import { SimulatedFiles } from "./simulated-files.ts";
import { SimulatedJournal } from "./simulated-journal.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { Witness } from "./witness.ts";

const DRAIN_MS = 20_000;
const GRACE_MS = 3_000;
/** Time after which a delivery that has ended is started again. */
const DELIVERY_RESTART_MS = 1_000;
/** Larger than any hold in a plan. */
const MAX_HOLD = 10n ** 15n;

export interface GatewayPorts {
  readonly ledger: CreditLedger;
  readonly eventLog: EventLog;
  readonly confirmation: Confirmation;
  readonly admitted: (nodeId: string, hold: Hold) => void;
  /** Called when a hold is refused. */
  readonly denied: (request: HoldRequest, denial: Denial, arrivedAtMs: number) => void;
  /** Returns the unused journal directories on the same disk. */
  readonly findAbandoned: () => readonly JournalDirectory[];
}

type GatewayPlan = Pick<Plan, "admission" | "syncMs" | "segmentBytes">;

/** Delivery of one directory. `firstSegment` is infinite if the directory belongs to a dead process. */
interface DeliveredDirectory {
  readonly directory: JournalDirectory;
  readonly firstSegment: number;
  readonly delivery: Delivery;
  readonly source: SegmentSource;
}

/** A gateway process: the real credit node, records, recovery, and delivery on a simulated machine. */
export class Gateway {
  readonly process: SimulatedProcess;
  readonly scheduler: Scheduler;
  readonly directory: JournalDirectory;
  readonly random: Random;
  readonly witness: Witness;
  readonly credit: CreditNode;
  readonly journal: SimulatedJournal;
  isReady = false;
  runningCalls = 0;
  readonly calls = new Set<ClientCall>();
  readonly #ports: GatewayPorts;
  readonly #recovered: Recovered;
  readonly #plan: GatewayPlan;
  #delivered: DeliveredDirectory[] = [];
  /** Number of restarts of the delivery, and the last one. */
  #deliveryRestarts = 0;
  #restarting: Promise<void> = Promise.resolve();
  #isJournalClosed = false;
  readonly #locked: JournalDirectory[];

  constructor(
    process: SimulatedProcess,
    scheduler: Scheduler,
    directory: JournalDirectory,
    random: Random,
    witness: Witness,
    plan: GatewayPlan,
    ports: GatewayPorts,
  ) {
    this.process = process;
    this.scheduler = scheduler;
    this.directory = directory;
    this.random = random;
    this.witness = witness;
    this.#ports = ports;
    directory.isLocked = true;
    this.#locked = [directory];
    this.#recovered = recover(directory, process.wallMs());
    this.#plan = plan;
    this.journal = this.#openJournal(directory);
    this.credit = new CreditNode({
      nodeId: directory.nodeId,
      clock: process,
      ledger: ports.ledger,
      admission: plan.admission,
      maxHold: MAX_HOLD,
      onEpoch: (epoch) => {
        directory.knownEpoch = epoch;
      },
      onRestored: () => this.redeliverAll(),
      oldestUnconfirmedAtMs: () => this.#delivered[0]?.delivery.oldestUnconfirmedAtMs ?? null,
      pendingEvents: () => this.#findPending(),
    });
  }

  /** Closes the calls that the last run left open, delivers its undelivered events, and starts admitting calls. */
  async start(): Promise<void> {
    await writeClosings(this.journal, this.#recovered);
    this.#deliver(this.directory, this.journal.firstSegment);
    await this.credit.start(this.directory.knownEpoch, this.#recovered.pending);
    this.isReady = true;
    for (const directory of this.#ports.findAbandoned()) await this.#adopt(directory);
  }

  /** Stops gracefully: calls end, events are delivered, and leases are returned. */
  async stop(): Promise<void> {
    this.isReady = false;
    await this.process.pause(GRACE_MS);
    for (const call of this.calls) call.cut();
    await this.#untilCallsEnded();
    await this.journal.flushed();
    this.#isJournalClosed = true;
    await this.#restarting;
    for (const { source } of this.#delivered) source.closeJournal();
    await this.#within(DRAIN_MS, Promise.all(this.#delivered.map(({ delivery }) => delivery.drained())));
    for (const { delivery } of this.#delivered) delivery.stop();
    await this.#within(DRAIN_MS, this.credit.close(await this.#findPending()));
  }

  /** After the ledger has been restored, redelivers all events that are still on disk. */
  redeliverAll(): void {
    for (const { delivery } of this.#delivered) delivery.redeliverAll();
  }

  /** Restarts the thread that delivers events. The journal is still written. */
  restartDelivery(): void {
    if (this.#delivered.length === 0 || this.#isJournalClosed) return;
    const ended = this.#delivered;
    for (const { delivery } of ended) delivery.stop();
    this.#delivered = [];
    this.#deliveryRestarts += 1;
    this.#restarting = this.process.pause(DELIVERY_RESTART_MS).then(() => {
      for (const { directory, firstSegment } of ended) this.#deliver(directory, firstSegment);
    });
  }

  /** Kills the process, which releases its locks. */
  kill(): void {
    this.process.kill();
    for (const directory of this.#locked) directory.isLocked = false;
  }

  admitted(hold: Hold): void {
    this.#ports.admitted(this.directory.nodeId, hold);
  }

  denied(request: HoldRequest, denial: Denial, arrivedAtMs: number): void {
    this.#ports.denied(request, denial, arrivedAtMs);
  }

  callEnded(call: ClientCall): void {
    this.runningCalls -= 1;
    this.calls.delete(call);
  }

  get backlog(): number {
    return this.#delivered.reduce((sum, { delivery }) => sum + delivery.backlog, 0);
  }

  #openJournal(directory: JournalDirectory): SimulatedJournal {
    const epoch = directory.knownEpoch + 1;
    const addSegment = () => directory.addSegment(epoch, this.process.wallMs(), this.random.integer(1, 0xffffffff));
    return new SimulatedJournal(this.process, { ...this.#plan, addSegment }, this.random);
  }

  #deliver(directory: JournalDirectory, firstSegment: number): void {
    let batches = 0;
    const signal = signalOf(directory, this.process, firstSegment);
    const source = new SegmentSource(new SimulatedFiles(this.process, directory), signal, () => {});
    if (firstSegment === Number.POSITIVE_INFINITY) source.closeJournal();
    const run = `${directory.nodeId}/${directory.knownEpoch}/${this.#deliveryRestarts}`;
    const delivery = new Delivery(
      {
        source,
        eventLog: this.#ports.eventLog,
        confirmation: this.#ports.confirmation,
        clock: this.process,
        makeBatchId: () => `${run}/${batches++}`,
        onBacklog: () => {},
        onTrouble: () => {},
      },
      { parallelBatches: 2 },
    );
    this.#delivered.push({ directory, firstSegment, delivery, source });
    delivery.start();
    void source.readConfirmed().then((ids) => delivery.watch(ids));
  }

  /** Takes over the journal of a dead process. Registering under its name blocks late messages from that process. */
  async #adopt(directory: JournalDirectory): Promise<void> {
    if (directory.isLocked || directory.isLost) return;
    directory.isLocked = true;
    this.#locked.push(directory);
    const recovered = recover(directory, this.process.wallMs());
    if (recovered.closings.length > 0) await writeClosings(this.#openJournal(directory), recovered);
    this.#deliver(directory, Number.POSITIVE_INFINITY);
    for (;;) {
      try {
        const { epoch } = await this.#ports.ledger.registerNode(directory.nodeId, directory.knownEpoch);
        directory.knownEpoch = epoch;
        await this.#ports.ledger.closeLeases(directory.nodeId, epoch, recovered.pending);
        return;
      } catch {
        await this.process.pause(1_000);
      }
    }
  }

  /**
   * Returns the pending events. Flushes first, because closing a lease before an event is written would leave the event
   * without its share.
   */
  async #findPending(): Promise<readonly PendingEvent[]> {
    await this.journal.flushed();
    return recover(this.directory, this.process.wallMs()).pending;
  }

  async #untilCallsEnded(): Promise<void> {
    while (this.runningCalls > 0) await this.process.pause(100);
  }

  /** Limits how long a stopping process waits. The next start handles failures. */
  async #within(ms: number, work: Promise<unknown>): Promise<void> {
    await Promise.race([work.catch(() => {}), this.process.pause(ms)]);
  }
}

/** Recovers the calls left open in a directory's segments, and the events that may not be in the ledger yet. */
function recover(directory: JournalDirectory, nowMs: number): Recovered {
  const recovery = new Recovery();
  const first = directory.segments.findIndex((segment) => !directory.done.has(segment.number));
  for (const segment of first < 0 ? [] : directory.segments.slice(first)) {
    // As in the product, data read from a dead process's file is synced first.
    segment.sync(segment.written);
    const { records } = scanSegment(segment.bytes.subarray(0, segment.written));
    recovery.add(records, directory.done.has(segment.number));
  }
  return recovery.finish(nowMs);
}

/** Reports the growth of a directory to a process. Without a writer, the directory is closed and never grows. */
function signalOf(directory: JournalDirectory, process: SimulatedProcess, firstSegment: number): JournalSignal {
  return {
    firstSegment,
    version: () => directory.version,
    synced: () => {
      const last = directory.segments.at(-1);
      return { segment: last?.number ?? 0, offset: last?.synced ?? 0 };
    },
    wait: (version, wake) => {
      if (directory.version === version) directory.watchers.push(() => process.enter(wake));
      else process.after(0, wake);
    },
  };
}

async function writeClosings(journal: SimulatedJournal, { closings }: Recovered): Promise<void> {
  const written = closings.map(({ call, facts }) => {
    const blocks = { identity: encodeIdentity(call.identity), target: encodeTarget(call.target) };
    return new Promise<void>((resolve) => {
      journal.appendClose({ ...call, ...blocks }, facts, resolve);
    });
  });
  await Promise.all(written);
}
