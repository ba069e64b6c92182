import { parsePeriod, windowAt } from "@tollgate/domain/credit/budget-window.ts";
import type { HeldBudget, Hold, HoldRequest } from "@tollgate/domain/credit/hold.ts";
import { OMITTED_FIELDS } from "@tollgate/domain/credit/usage-event.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { ClosingFacts, JournaledCall, LostAttempt } from "@tollgate/journal/journaled-call.ts";
import { encodeIdentity, encodeTarget } from "@tollgate/journal/record-blocks.ts";
import type { Gateway } from "./gateway.ts";
import { smaller } from "./ledger/amounts.ts";
import type { BudgetPlan, CallStep } from "./plan.ts";
import type { CallRecord } from "./witness.ts";

const CHECKPOINT_EVERY_MS = 1_000;
const LOST_AFTER_MS = 40;

const target = encodeTarget({
  endpoint: "/v1/chat/completions",
  modelGroup: "model",
  deploymentId: "deployment",
  provider: "provider",
  priceVersionId: "price",
});

/** A caller with its currently effective budgets. */
export interface Caller {
  readonly organizationId: string;
  readonly teamId: string;
  readonly keyId: string;
  readonly teamBudget: BudgetPlan | null;
  readonly keyBudget: BudgetPlan | null;
}

/**
 * One call through one gateway, from its admission to its closing record, with its steps in the same order as in a real
 * gateway.
 */
export class ClientCall {
  readonly #gateway: Gateway;
  readonly #step: CallStep;
  readonly #caller: Caller;
  readonly #id: string;
  readonly #record: CallRecord;
  readonly #request: HoldRequest;
  #hold: Hold | null = null;
  #journaled: JournaledCall | null = null;
  #tokens = 0;
  #checkpointAtMs = 0;
  #isEnded = false;
  readonly #startedAtMs: number;

  constructor(gateway: Gateway, step: CallStep, caller: Caller) {
    this.#gateway = gateway;
    this.#step = step;
    this.#caller = caller;
    this.#startedAtMs = gateway.process.wallMs();
    const random = Uint8Array.from({ length: 10 }, () => gateway.random.integer(0, 255));
    this.#id = makeUuidV7(this.#startedAtMs, random);
    const { organizationId } = caller;
    const budgets = budgetsAt(caller, this.#startedAtMs);
    this.#request = { organizationId, amount: step.hold, usesCredit: true, budgets };
    this.#record = gateway.witness.begin({
      id: this.#id,
      organizationId,
      directory: gateway.directory,
      arrivedAtMs: gateway.scheduler.nowMs,
      hold: step.hold,
    });
  }

  start(): void {
    const hold = this.#gateway.credit.take(this.#request);
    if (hold !== null) {
      this.#open(hold);
      return;
    }
    this.#gateway.credit.wait(this.#request, {
      granted: (granted) => this.#open(granted),
      denied: (denial) => {
        this.#record.state = "denied";
        this.#gateway.calls.delete(this);
        this.#gateway.denied(this.#request, denial, this.#record.arrivedAtMs);
      },
    });
  }

  #open(hold: Hold): void {
    this.#hold = hold;
    this.#gateway.admitted(hold);
    this.#record.state = "running";
    this.#gateway.runningCalls += 1;
    const { organizationId, teamId, keyId } = this.#caller;
    this.#journaled = {
      id: this.#id,
      identity: encodeIdentity({ organizationId, teamId, keyId, userId: null }),
      target,
      requestId: this.#id,
      isStream: true,
      hold: hold.amount,
      isBilled: true,
      epoch: hold.epoch,
      budgets: this.#request.budgets.map(({ window }) => window),
      lostAttempts: [],
    };
    this.#gateway.journal.appendOpen(this.#journaled, () => {
      this.#record.isOpenSynced = true;
    });
    this.#checkpointAtMs = this.#gateway.process.monotonicMs() + CHECKPOINT_EVERY_MS;
    this.#lose(0);
  }

  /** Fails attempts one after another. Each attempt is announced together with the losses of the attempts before it. */
  #lose(index: number): void {
    const tokens = this.#step.lostAttempts[index];
    if (tokens === undefined) {
      this.#relay(0);
      return;
    }
    this.#gateway.process.after(LOST_AFTER_MS, () => {
      if (this.#isEnded) return;
      const journaled = this.#journaled as JournaledCall;
      const attempt: LostAttempt = {
        reason: "retry",
        deploymentId: "deployment",
        provider: "provider",
        priceVersionId: "price",
        usage: { ...NO_USAGE, outputTokens: tokens },
        cost: BigInt(tokens),
      };
      this.#journaled = { ...journaled, lostAttempts: [...journaled.lostAttempts, attempt] };
      this.#record.lost += attempt.cost;
      const { lost } = this.#record;
      this.#gateway.journal.appendOpen(this.#journaled, () => {
        if (lost > this.#record.syncedLost) this.#record.syncedLost = lost;
      });
      this.#lose(index + 1);
    });
  }

  #relay(index: number): void {
    const piece = this.#step.pieces[index];
    if (piece === undefined) {
      this.#close(this.#step.ending, null);
      return;
    }
    this.#gateway.process.after(piece.afterMs, () => {
      if (this.#isEnded) return;
      this.#tokens += piece.tokens;
      this.#record.delivered += BigInt(piece.tokens);
      this.#writeCheckpoint();
      if (index === 0 && this.#step.extendBy > 0n) this.#extend(() => this.#relay(index + 1));
      else this.#relay(index + 1);
    });
  }

  /** Ends the call because the client disconnected or the gateway is stopping. Output up to that point is charged. */
  cut(): void {
    if (this.#hold !== null && !this.#isEnded) this.#close("failure", "gateway_stopping");
  }

  #writeCheckpoint(): void {
    const nowMs = this.#gateway.process.monotonicMs();
    if (nowMs < this.#checkpointAtMs) return;
    this.#checkpointAtMs = nowMs + CHECKPOINT_EVERY_MS;
    const cost = this.#costOf((this.#hold as Hold).amount);
    this.#gateway.journal.appendCheckpoint(this.#id, this.#usage(), cost, () => {
      if (cost > this.#record.syncedCost) this.#record.syncedCost = cost;
    });
  }

  #extend(proceed: () => void): void {
    const hold = this.#hold as Hold;
    const raised = () => {
      this.#record.hold += this.#step.extendBy;
      proceed();
    };
    const isRaised = this.#gateway.credit.extend(hold, this.#step.extendBy, {
      granted: () => {
        if (!this.#isEnded) raised();
      },
      denied: (denial) => {
        this.#gateway.denied({ ...this.#request, amount: this.#step.extendBy }, denial, this.#record.arrivedAtMs);
        if (!this.#isEnded) this.#close("failure", "QUOTA_EXCEEDED");
      },
    });
    if (isRaised) raised();
  }

  #close(status: ClosingFacts["status"], errorCode: string | null): void {
    this.#isEnded = true;
    const hold = this.#hold as Hold;
    const price = BigInt(this.#tokens);
    const amount = hold.amount;
    const cost = this.#costOf(amount);
    const { fromLease, budgets } = this.#gateway.credit.release(hold, cost);
    const journaled = { ...(this.#journaled as JournaledCall), hold: amount };
    const facts: ClosingFacts = {
      ...OMITTED_FIELDS,
      status,
      httpStatus: status === "success" ? 200 : 500,
      errorCode,
      usage: this.#usage(),
      cost,
      loss: price - cost,
      fromLease,
      budgetShares: budgets.map((share) => share.fromLease),
      endedAtMs: this.#gateway.process.wallMs(),
      latencyMs: 1,
      firstTokenMs: null,
    };
    this.#record.closedCost = cost;
    this.#gateway.journal.appendClose(journaled, facts, () => {
      // The gateway sends the last byte only now, so the client never has the complete response earlier.
      this.#record.state = "completed";
      this.#gateway.witness.completed += 1;
      this.#gateway.callEnded(this);
    });
  }

  /** Returns the caller's cost so far. The closing record never charges less than a checkpoint. */
  #costOf(held: bigint): bigint {
    const price = BigInt(this.#tokens);
    return this.#step.isCapped ? smaller(price, held) : price;
  }

  #usage(): Usage {
    return { ...NO_USAGE, outputTokens: this.#tokens };
  }
}

function budgetsAt(caller: Caller, atMs: number): HeldBudget[] {
  const budgets: HeldBudget[] = [];
  const add = (scope: "team" | "key", scopeId: string, plan: BudgetPlan | null) => {
    if (plan === null) return;
    budgets.push({ window: { scope, scopeId, ...windowAt(parsePeriod(plan.period), atMs) }, limit: plan.amount });
  };
  add("team", caller.teamId, caller.teamBudget);
  add("key", caller.keyId, caller.keyBudget);
  return budgets;
}
