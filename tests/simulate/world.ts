import type { Denial, HoldRequest } from "@tollgate/domain/credit/hold.ts";
import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { positionsMissing } from "@tollgate/journal/delivery/bare-closing.fixture.ts";
import type { EventBatch } from "@tollgate/journal/delivery/delivery-ports.ts";
import { readUsageEvents } from "@tollgate/journal/delivery/read-usage-events.fixture.ts";
import { Random } from "../random.ts";
import { Carrier } from "./carrier.ts";
import { checkCalls } from "./check-calls.ts";
import { checkLedger, recomputeLedger } from "./check-ledger.ts";
import { ClientCall } from "./client-call.ts";
import { JournalDirectory } from "./disk.ts";
import { Gateway } from "./gateway.ts";
import type { Broken } from "./ledger/settle.ts";
import { Link } from "./network.ts";
import type { BudgetPlan, CallStep, FaultStep, OrganizationPlan, Plan, Step } from "./plan.ts";
import { Scheduler } from "./scheduler.ts";
import { type Machine, SimulatedProcess } from "./simulated-process.ts";
import { WatchedLedger } from "./watched-ledger.ts";
import { Witness } from "./witness.ts";
import { runWorker } from "./worker.ts";

// A Thursday at noon, so that no daily window ends in the middle of a run.
const WALL_AT_START_MS = Date.UTC(2026, 10, 12, 12);
const MAINTENANCE_MS = 5_000;
const RESTART_MS = 500;
const LOOK_MS = 1_000;
const PATIENCE_MS = 300_000;

/** A slot for a gateway: its machine, its connection to the ledger, and its journal. */
interface Seat {
  readonly index: number;
  readonly machine: Machine;
  readonly link: Link;
  directory: JournalDirectory;
  gateway: Gateway | null;
}

/** Result of a run. */
export interface RunResult {
  readonly complaint: string | null;
  readonly events: number;
  readonly completed: number;
  readonly refused: number;
  readonly unavailable: number;
  readonly crashes: number;
  readonly steps: number;
}

/** Runs a plan to completion, repairs everything, and returns the first violation, if any. */
export async function runPlan(plan: Plan, broken: Broken): Promise<RunResult> {
  return new World(plan, broken).run();
}

class World {
  readonly #plan: Plan;
  readonly #random: Random;
  readonly #scheduler = new Scheduler();
  readonly #witness = new Witness();
  readonly #ledger: WatchedLedger;
  readonly #carrier: Carrier<readonly UsageEvent[]>;
  readonly #seats: Seat[];
  readonly #directories: JournalDirectory[] = [];
  readonly #workers: (SimulatedProcess | null)[] = [];
  readonly #workerLink: Link;
  readonly #organizations: OrganizationPlan[];
  #checkedVersion = -1;
  #isHealing = false;
  #entries = 0;

  constructor(plan: Plan, broken: Broken) {
    this.#plan = plan;
    this.#random = new Random(plan.seed + 1);
    this.#organizations = [...plan.organizations];
    this.#ledger = new WatchedLedger(
      plan,
      () => WALL_AT_START_MS + this.#scheduler.nowMs,
      this.#random.fork(),
      this.#witness,
      broken,
      {
        recall: (organizationId, allowance, number, nodes) => {
          this.#tellGateways((gateway) => gateway.credit.recall(organizationId, allowance, number, nodes));
        },
        creditChanged: (organizationId) => {
          this.#tellGateways((gateway) => gateway.credit.creditChanged(organizationId));
        },
      },
    );
    this.#carrier = new Carrier(this.#scheduler, this.#random.fork());
    this.#workerLink = new Link(this.#scheduler, this.#random.fork(), plan.network);
    this.#seats = plan.nodes.map(({ skewMs, rate }, index) => ({
      index,
      machine: { rate, skewMs, wallAtStartMs: WALL_AT_START_MS },
      link: new Link(this.#scheduler, this.#random.fork(), plan.network),
      directory: this.#addDirectory(),
      gateway: null,
    }));
  }

  async run(): Promise<RunResult> {
    for (const [index, { balance }] of this.#organizations.entries()) {
      this.#ledger.addOrganization(organizationId(index), teamId(index), balance);
    }
    for (const seat of this.#seats) this.#startGateway(seat);
    for (let index = 0; index < this.#plan.workers; index += 1) this.#startWorker(index);
    this.#maintain();
    for (const step of this.#plan.steps) {
      this.#scheduler.after(step.atMs, () => this.#do(step));
      if (step.kind === "restore") this.#scheduler.after(step.backUpAtMs, () => this.#ledger.backUp(step.backUpAtMs));
    }
    await this.#advance(this.#plan.durationMs);
    if (this.#witness.complaints.length === 0) await this.#heal();
    return {
      complaint: this.#witness.complaints[0] ?? null,
      events: this.#ledger.rows.events.size,
      completed: this.#witness.completed,
      refused: this.#witness.refused,
      unavailable: this.#witness.unavailable,
      crashes: this.#witness.crashes,
      steps: this.#scheduler.steps,
    };
  }

  /** Advances the clock and checks the ledger after each change. Stops at the first violation. */
  async #advance(ms: number): Promise<void> {
    const untilMs = this.#scheduler.nowMs + ms;
    await this.#scheduler.runUntil(untilMs, () => {
      if (this.#ledger.version === this.#checkedVersion) return this.#witness.complaints.length === 0;
      this.#checkedVersion = this.#ledger.version;
      for (const wrong of checkLedger(this.#ledger.rows, this.#plan.admission, this.#ledger))
        this.#witness.complain(wrong);
      return this.#witness.complaints.length === 0;
    });
  }

  /** Repairs everything and waits. After that, no lease may be left open and no event may be missing. */
  async #heal(): Promise<void> {
    this.#isHealing = true;
    this.#ledger.isDown = false;
    for (const [index, worker] of this.#workers.entries()) if (worker === null) this.#startWorker(index);
    for (const seat of this.#seats) {
      seat.link.isCut = false;
      seat.link.isPerfect = true;
      seat.gateway?.process.thaw();
    }
    this.#workerLink.isPerfect = true;
    // Wait until the messages in flight have arrived.
    await this.#advance(10_000);
    const isQuiet = () => this.#gateways().every((gateway) => gateway.calls.size === 0);
    await this.#advanceUntil(isQuiet, "calls do not end");
    // The next process to start takes over directories whose processes did not restart.
    for (const directory of this.#directories) {
      if (directory.isLocked || directory.isLost) continue;
      const seat = this.#seats.find((candidate) => candidate.gateway === null) ?? this.#addSeat(directory);
      seat.directory = directory;
      this.#startGateway(seat);
    }
    // Long enough for a started process to check that its earlier deliveries are still in the ledger.
    await this.#advance(15_000);
    const isDelivered = () =>
      this.#gateways().every((gateway) => gateway.isReady && gateway.backlog === 0) && this.#hasAllEvents();
    await this.#advanceUntil(isDelivered, "events do not arrive");
    await this.#advanceUntil(() => this.#areSegmentsDone(), "segments stay unfinished");
    this.#complainOfUnclosed(
      new Map(this.#gateways().map(({ directory, credit }) => [directory.nodeId, credit.epoch])),
    );
    this.#stopAll();
    await this.#advanceUntil(() => this.#gateways().length === 0, "gateways do not stop");
    if (this.#witness.complaints.length > 0) return;
    this.#complainOfUnclosed(new Map());
    // The credit leased by gateways whose disks were lost is returned only now.
    if (this.#checkNothingIsLeft().length > 0) await this.#advance(this.#plan.reclaimAfterMs + 120_000);
    if (this.#witness.complaints.length > 0) return;
    for (const wrong of [...recomputeLedger(this.#ledger.rows), ...this.#checkNothingIsLeft()])
      this.#witness.complain(wrong);
    for (const wrong of checkCalls(this.#witness, this.#ledger.rows)) this.#witness.complain(wrong);
  }

  async #advanceUntil(isDone: () => boolean, otherwise: string): Promise<void> {
    for (let passedMs = 0; !isDone(); passedMs += LOOK_MS) {
      if (this.#witness.complaints.length > 0) return;
      if (passedMs >= PATIENCE_MS) return this.#witness.complain(otherwise);
      await this.#advance(LOOK_MS);
    }
  }

  #gateways(): Gateway[] {
    return this.#seats.flatMap(({ gateway }) => (gateway === null ? [] : [gateway]));
  }

  /**
   * Reports whether the ledger has every event on disk. The backlog of a gateway doesn't include events that delivery
   * has not read, and the drain of a stopping gateway would read them.
   */
  #hasAllEvents(): boolean {
    const directories = this.#directories.filter(({ isLost }) => !isLost);
    return this.#findMissing(directories.flatMap((directory) => directory.closedCalls())).length === 0;
  }

  /** Reports whether all segments are done, except those that are being written. */
  #areSegmentsDone(): boolean {
    return this.#directories.every(
      ({ isLost, segments, done }) => isLost || segments.slice(0, -1).every(({ number }) => done.has(number)),
    );
  }

  #complainOfUnclosed(epochs: ReadonlyMap<string, number>): void {
    const lost = new Set(this.#directories.flatMap(({ isLost, nodeId }) => (isLost ? [nodeId] : [])));
    for (const wrong of this.#ledger.findUnclosed(lost, epochs)) this.#witness.complain(wrong);
  }

  #checkNothingIsLeft(): string[] {
    const wrong: string[] = [];
    for (const organization of this.#ledger.rows.organizations.values()) {
      if (organization.leased !== 0n)
        wrong.push(`after drain ${organization.id} still has ${organization.leased} leased`);
      for (const [key, window] of organization.windows) {
        if (window.leased !== 0n) wrong.push(`after drain ${organization.id} ${key} still has ${window.leased} leased`);
      }
      for (const [key, lease] of organization.leases) {
        if (lease.state !== "closed" && lease.state !== "reclaimed")
          wrong.push(`after drain the lease ${organization.id}/${key} is ${lease.state}`);
      }
    }
    return wrong;
  }

  #do(step: Step): void {
    if (this.#isHealing) return;
    if (step.kind === "call") this.#call(step);
    else this.#fail(step);
  }

  #call(step: CallStep): void {
    const gateway = this.#seats[step.node]?.gateway;
    if (gateway == null || !gateway.process.isRunning || !gateway.isReady) return;
    const plan = this.#organizations[step.organization] as OrganizationPlan;
    const call = new ClientCall(gateway, step, {
      organizationId: organizationId(step.organization),
      teamId: teamId(step.organization),
      keyId: `key_${step.organization}_${step.key}`,
      teamBudget: plan.teamBudget,
      keyBudget: plan.keyBudgets[step.key] ?? null,
    });
    gateway.calls.add(call);
    call.start();
  }

  #fail(step: FaultStep): void {
    switch (step.kind) {
      case "kill":
        return this.#kill(this.#seatAt(step.node), step.of, step.backAfterMs);
      case "restart":
        void this.#restart(this.#seatAt(step.node));
        return;
      case "restart-delivery":
        this.#seatAt(step.node).gateway?.restartDelivery();
        return;
      case "freeze": {
        const process = this.#seatAt(step.node).gateway?.process;
        process?.freeze();
        this.#scheduler.after(step.forMs, () => process?.thaw());
        return;
      }
      case "cut": {
        const { link } = this.#seatAt(step.node);
        link.isCut = true;
        this.#scheduler.after(step.forMs, () => {
          link.isCut = false;
        });
        return;
      }
      case "set-clock":
        this.#seatAt(step.node).machine.skewMs += step.byMs;
        return;
      case "ledger-down":
        this.#stopLedger(step.forMs);
        return;
      case "restore":
        this.#ledger.restore(step.backUpAtMs);
        this.#stopLedger(step.forMs);
        return;
      case "fence":
        this.#ledger.fence(this.#seatAt(step.node).directory.nodeId);
        return;
      case "erase-log":
        return this.#carrier.erase();
      case "repeat-log":
        return this.#carrier.repeat(5);
      case "kill-worker":
        return this.#killWorker(step.worker, step.backAfterMs);
      case "entry":
        this.#entries += 1;
        return this.#ledger.postEntry({
          kind: step.entry,
          organizationId: organizationId(step.organization),
          amount: step.amount,
          idempotencyKey: `${this.#entries}`,
        });
      case "budget":
        return this.#changeBudgets(step.organization, step.amount);
    }
  }

  #stopLedger(forMs: number): void {
    this.#ledger.isDown = true;
    this.#scheduler.after(forMs, () => {
      this.#ledger.isDown = false;
    });
  }

  #kill(seat: Seat, of: "process" | "machine" | "disk", backAfterMs: number): void {
    if (seat.gateway === null) return;
    this.#witness.crashes += 1;
    seat.gateway.kill();
    seat.gateway = null;
    if (of === "machine") seat.directory.losePower(this.#random);
    if (of === "disk") {
      seat.directory.isLost = true;
      seat.directory = this.#addDirectory();
    }
    this.#scheduler.after(backAfterMs, () => {
      if (seat.gateway === null && !this.#isHealing) this.#startGateway(seat);
    });
  }

  async #restart(seat: Seat): Promise<void> {
    const { gateway } = seat;
    if (gateway === null || !gateway.isReady) return;
    await gateway.stop();
    if (seat.gateway !== gateway) return;
    gateway.kill();
    seat.gateway = null;
    await this.#scheduler.pause(RESTART_MS);
    if (seat.gateway === null) this.#startGateway(seat);
  }

  #stopAll(): void {
    for (const seat of this.#seats) {
      const { gateway } = seat;
      if (gateway === null) continue;
      void gateway.stop().then(() => {
        gateway.kill();
        seat.gateway = null;
      });
    }
  }

  #startGateway(seat: Seat): void {
    // Another process has taken over the journal, so this process starts a new journal.
    if (seat.directory.isLocked) seat.directory = this.#addDirectory();
    const process = new SimulatedProcess(this.#scheduler, seat.machine);
    const gateway = new Gateway(
      process,
      this.#scheduler,
      seat.directory,
      this.#random.fork(),
      this.#witness,
      this.#plan,
      {
        ledger: this.#ledger.portFor(process, seat.link, () => gateway),
        eventLog: {
          deliver: (batch) => {
            const events = readEvents(batch);
            if (this.#plan.workers > 0) {
              return seat.link.ask(process, () => {
                this.#carrier.publish(events);
                return "carried";
              });
            }
            return seat.link.ask(process, () => {
              this.#ledger.settle(events);
              return "settled";
            });
          },
        },
        confirmation: {
          findMissing: (ids) => seat.link.ask(process, () => this.#findMissing(ids.split(","))),
        },
        admitted: (nodeId, hold) => this.#ledger.checkHold(nodeId, hold),
        denied: (request, denial, arrivedAtMs) => this.#denied(request, denial, arrivedAtMs),
        findAbandoned: () => (this.#plan.sharesDisk ? this.#directories : []),
      },
    );
    seat.gateway = gateway;
    void gateway.start();
  }

  #findMissing(ids: readonly string[]): number[] {
    const known = this.#ledger.known(ids);
    return positionsMissing(ids, (id) => known.has(id));
  }

  #denied(request: HoldRequest, denial: Denial, arrivedAtMs: number): void {
    if (denial.kind === "too_large") return this.#witness.complain(`${request.amount} is not too large for a hold`);
    if (denial.kind === "unavailable") {
      this.#witness.unavailable += 1;
      return;
    }
    this.#witness.refused += 1;
    this.#ledger.checkRefusal(request, denial.allowance, WALL_AT_START_MS + arrivedAtMs);
  }

  #startWorker(index: number): void {
    const process = new SimulatedProcess(this.#scheduler, { rate: 1, skewMs: 0, wallAtStartMs: WALL_AT_START_MS });
    this.#workers[index] = process;
    void runWorker(process, this.#carrier, this.#workerLink, this.#random.fork(), (events) =>
      this.#ledger.settle(events),
    );
  }

  #killWorker(index: number, backAfterMs: number): void {
    const worker = this.#workers[index];
    if (worker == null) return;
    this.#witness.crashes += 1;
    worker.kill();
    this.#workers[index] = null;
    this.#scheduler.after(backAfterMs, () => {
      if (this.#workers[index] === null) this.#startWorker(index);
    });
  }

  #maintain(): void {
    this.#ledger.maintain(this.#plan.reclaimAfterMs);
    this.#scheduler.after(MAINTENANCE_MS, () => this.#maintain());
  }

  #changeBudgets(index: number, amount: bigint): void {
    const plan = this.#organizations[index] as OrganizationPlan;
    const change = (budget: BudgetPlan | null) => (budget === null ? null : { ...budget, amount });
    this.#organizations[index] = {
      ...plan,
      teamBudget: change(plan.teamBudget),
      keyBudgets: plan.keyBudgets.map(change),
    };
  }

  #tellGateways(tell: (gateway: Gateway) => void): void {
    for (const seat of this.#seats) {
      const { gateway } = seat;
      if (gateway !== null) seat.link.tell(gateway.process, () => tell(gateway));
    }
  }

  #addDirectory(): JournalDirectory {
    const directory = new JournalDirectory(`node_${this.#directories.length}`);
    this.#directories.push(directory);
    return directory;
  }

  #addSeat(directory: JournalDirectory): Seat {
    const link = new Link(this.#scheduler, this.#random.fork(), this.#plan.network);
    link.isPerfect = true;
    const machine = { rate: 1, skewMs: 0, wallAtStartMs: WALL_AT_START_MS };
    const seat: Seat = { index: this.#seats.length, machine, link, directory, gateway: null };
    this.#seats.push(seat);
    return seat;
  }

  #seatAt(index: number): Seat {
    return this.#seats[index] as Seat;
  }
}

function readEvents(batch: EventBatch): UsageEvent[] {
  return batch.ranges.flatMap(({ bytes }) => readUsageEvents(bytes, batch.origin.nodeId));
}

function organizationId(index: number): string {
  return `org_${index}`;
}

function teamId(index: number): string {
  return `team_${index}`;
}
