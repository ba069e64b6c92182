import type { AdmissionRule } from "./admission.ts";
import { answerWithin } from "./answer-within.ts";
import type { AllowanceLease } from "./hold.ts";
import type { LeaseAnswer } from "./lease-messages.ts";
import { composeQuestion, type LeaseQuestion, type Moment } from "./lease-question.ts";
import type { NodeHeartbeat } from "./node-heartbeat.ts";
import type { Need, OrganizationLease } from "./organization-lease.ts";
import type { Clock, CreditLedger } from "./ports.ts";
import { grantWaiting, refusalOf, resolveDenial } from "./serve-waiting.ts";
import type { WaitingCall } from "./waiting-call.ts";

const REFILL_EVERY_MS = 25;
const BUSY_PAUSE_MS = 1;
const ANSWER_WITHIN_MS = 5_000;
const FIRST_FAILURE_PAUSE_MS = 10;
const MAX_FAILURE_PAUSE_MS = 500;
const FIRST_RECALL_PAUSE_MS = 5;
const MAX_RECALL_PAUSE_MS = 80;
/** Maximum time that a call waits for other nodes to return idle credit. */
const RECALL_WAIT_MS = 250;
const ORGANIZATIONS_PER_STATEMENT = 500;

interface LeaseStatementsOptions {
  readonly nodeId: string;
  readonly admission: AdmissionRule;
  readonly clock: Clock;
  readonly ledger: CreditLedger;
}

/**
 * Sends the requests of all organizations together, one statement at a time. A statement starts immediately when a call
 * waits, collects requests while another statement is in flight, and delays refills to batch them.
 */
export class LeaseStatements {
  readonly #options: LeaseStatementsOptions;
  readonly #clock: Clock;
  readonly #heartbeat: NodeHeartbeat;
  readonly #grant: (call: WaitingCall) => void;
  #needy: OrganizationLease[] = [];
  #urgent = 0;
  #underWay: Promise<void> | null = null;
  #lastAskedMs = Number.NEGATIVE_INFINITY;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #timer: { readonly atMs: number; readonly cancel: () => void } | null = null;
  #isStopped = false;

  constructor(options: LeaseStatementsOptions, heartbeat: NodeHeartbeat, grant: (call: WaitingCall) => void) {
    this.#options = options;
    this.#clock = options.clock;
    this.#heartbeat = heartbeat;
    this.#grant = grant;
  }

  get moment(): Moment {
    return { nowMs: this.#clock.monotonicMs(), wallMs: this.#clock.wallMs(), liveNodes: this.#heartbeat.liveNodes };
  }

  /** Includes an allowance in the next statement. */
  needAllowance(organization: OrganizationLease, allowance: AllowanceLease, need: "later" | "now"): void {
    if (allowance.isNeedy && (organization.need === need || organization.need === "now")) return;
    organization.addNeedy(allowance);
    this.need(organization, need);
  }

  /** Includes an organization in the next statement. */
  need(organization: OrganizationLease, need: Exclude<Need, "none">): void {
    if (organization.epoch !== this.#heartbeat.epoch) return;
    if (organization.need === "none") this.#needy.push(organization);
    if (organization.need !== "now") {
      organization.need = need;
      if (need === "now") this.#urgent += 1;
    }
    this.schedule();
  }

  /** Starts the next statement if it is due, or sets a timer. */
  schedule(): void {
    if (this.#underWay !== null || this.#isStopped || this.#needy.length === 0) return;
    const nowMs = this.#clock.monotonicMs();
    // This function is called again after the next heartbeat response.
    if (!this.#heartbeat.isUsable(nowMs)) return;
    const refillAtMs = this.#lastAskedMs + REFILL_EVERY_MS;
    const atMs = Math.max(this.#pausedUntilMs, this.#urgent > 0 ? nowMs : refillAtMs);
    if (atMs <= nowMs) this.#ask(nowMs);
    else this.#wakeAt(atMs, nowMs);
  }

  /** Grants idle credit to waiting calls, in order. */
  serve(organization: OrganizationLease): void {
    if (organization.epoch !== this.#heartbeat.epoch || organization.confirmedOutage !== this.#heartbeat.outages)
      return;
    if (!this.#heartbeat.isUsable(this.#clock.monotonicMs())) return;
    for (const call of grantWaiting(organization)) {
      // The callback of an earlier grant may have canceled this call.
      if (call.isCancelled) for (const allowance of call.allowances) allowance.release(call.amount, 0n);
      else this.#grant(call);
    }
  }

  /** Retries calls that wait for a recall and refreshes the free credit, because the organization's credit changed. */
  askAgain(organization: OrganizationLease): void {
    for (const { recalled } of organization.stillWaiting()) {
      if (recalled?.recallWait != null) recalled.recallWait.isDue = true;
    }
    organization.credit.wantsTotals = true;
    this.needAllowance(organization, organization.credit, organization.waiting.length > 0 ? "now" : "later");
  }

  /** Limits how long a call waits for a recall. */
  limitRecallWait(call: WaitingCall): void {
    if (call.isRecallTimed) return;
    call.isRecallTimed = true;
    call.cancelTimer();
    call.cancelTimer = this.#clock.after(RECALL_WAIT_MS, () => {
      if (call.recalled?.recallWait != null) call.recalled.recallWait.isMissed = true;
      call.organization.leave(call);
      call.waiter.denied({ kind: "unavailable", reason: "recall" });
    });
  }

  /** Discards the pending requests of the last epoch. */
  startEpoch(): void {
    this.#needy = [];
    this.#urgent = 0;
  }

  /** Stops sending, and waits for the statement in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#underWay;
  }

  #ask(nowMs: number): void {
    const questions = this.#nextQuestions();
    if (questions.length === 0) return this.schedule();
    this.#lastAskedMs = nowMs;
    const { epoch, outages } = this.#heartbeat;
    const { ledger, nodeId, admission } = this.#options;
    const messages = questions.map(({ message }) => message);
    this.#underWay = answerWithin(this.#clock, ANSWER_WITHIN_MS, ledger.lease(nodeId, epoch, admission, messages))
      .then(
        (answers) => {
          this.#failures = 0;
          if (epoch === this.#heartbeat.epoch) this.#receive(questions, answers, outages);
        },
        () => {
          this.#pauseAfterFailure();
          if (epoch === this.#heartbeat.epoch) for (const question of questions) this.#leaveUnresolved(question);
        },
      )
      .finally(() => {
        this.#underWay = null;
        this.schedule();
      });
  }

  #nextQuestions(): readonly LeaseQuestion[] {
    if (this.#needy.length > ORGANIZATIONS_PER_STATEMENT) {
      this.#needy.sort((one, other) => Number(other.need === "now") - Number(one.need === "now"));
    }
    const { moment } = this;
    const questions: LeaseQuestion[] = [];
    for (const organization of this.#needy.splice(0, ORGANIZATIONS_PER_STATEMENT)) {
      if (organization.need === "now") this.#urgent -= 1;
      organization.need = "none";
      const question = composeQuestion(organization, moment);
      if (question === null) continue;
      organization.isAsking = true;
      questions.push(question);
    }
    return questions;
  }

  #receive(questions: readonly LeaseQuestion[], answers: readonly LeaseAnswer[], outages: number): void {
    const byOrganization = new Map(answers.map((answer) => [answer.organizationId, answer]));
    let busy = 0;
    for (const question of questions) {
      const { organization } = question;
      const answer = byOrganization.get(organization.id);
      organization.isAsking = false;
      if (answer === undefined) {
        this.#leaveUnresolved(question);
      } else if (answer.outcome === "answered") {
        organization.confirmedOutage = outages;
        this.#apply(question, answer);
      } else {
        busy += 1;
        this.#takeBack(question);
        if (answer.outcome === "fenced") this.#fence(organization);
      }
    }
    // If other calls are urgent, the next statement starts immediately and includes the busy organizations.
    if (busy > 0 && this.#urgent <= busy) this.#pausedUntilMs = this.#clock.monotonicMs() + BUSY_PAUSE_MS;
  }

  #apply(question: LeaseQuestion, answer: LeaseAnswer): void {
    const { organization, allowances, recalled } = question;
    const { nowMs, liveNodes } = this.moment;
    organization.seq = question.message.seq;
    organization.isUnresolved = false;
    organization.fencedAfterBeats = null;
    allowances.forEach((allowance, position) => {
      const totals = answer.allowances[position];
      if (totals === undefined)
        throw new Error(`The ledger returned ${answer.allowances.length} of ${allowances.length} allowances.`);
      allowance.settle(totals, question.isRepeat, nowMs, liveNodes);
    });
    this.serve(organization);
    const isPutOff = answer.denial !== null && this.#deny(question, answer.denial);
    if (recalled !== null && !isPutOff) this.#askRecalledNow(organization, recalled);
    for (const allowance of allowances) {
      if (allowance.owesRecall || (allowance.mode === "exact" && allowance.idle > 0n))
        this.needAllowance(organization, allowance, "now");
    }
    if (organization.freshCalls > 0) this.need(organization, "now");
  }

  /** Denies the affected calls, or sets them aside. Returns true if they wait for a recall. */
  #deny(question: LeaseQuestion, denial: NonNullable<LeaseAnswer["denial"]>): boolean {
    const { organization } = question;
    const verdict = resolveDenial(question, denial, this.#options.admission);
    for (const call of verdict.calls) {
      if (!call.isWaiting) continue;
      if (verdict.kind === "refuse") {
        organization.leave(call);
        call.waiter.denied(refusalOf(call, verdict.allowance));
      } else {
        organization.setRecalled(call, verdict.kind === "recall" ? verdict.allowance : null);
        if (verdict.kind === "recall") this.limitRecallWait(call);
      }
    }
    if (verdict.kind !== "recall" || verdict.calls.length === 0) return false;
    this.#awaitRecall(organization, verdict.allowance, verdict.number);
    return verdict.allowance === question.recalled;
  }

  #awaitRecall(organization: OrganizationLease, allowance: AllowanceLease, number: number): void {
    const { tries = 0, isMissed = false } = allowance.recallWait ?? {};
    allowance.recallWait?.cancelTimer();
    const pauseMs = Math.min(FIRST_RECALL_PAUSE_MS * 2 ** tries, MAX_RECALL_PAUSE_MS);
    const cancelTimer = this.#clock.after(pauseMs, () => this.#askRecalledNow(organization, allowance));
    allowance.recallWait = { number, tries: tries + 1, isDue: false, isMissed, cancelTimer };
  }

  /** Retries calls that wait for a recall of this allowance. If no call waits, ends the recall for this node. */
  #askRecalledNow(organization: OrganizationLease, allowance: AllowanceLease): void {
    if (allowance.recallWait === null) return;
    if (organization.stillWaiting().some((call) => call.recalled === allowance)) {
      allowance.recallWait.isDue = true;
      this.need(organization, "now");
    } else {
      allowance.recallWait.cancelTimer();
      allowance.recallWait = null;
    }
  }

  /**
   * Undoes a request that the ledger didn't apply, unless an earlier request with the same number may have been
   * applied.
   */
  #takeBack(question: LeaseQuestion): void {
    if (question.isRepeat) return this.#leaveUnresolved(question);
    for (const allowance of question.allowances) allowance.takeBackRequest();
    this.#requeue(question);
  }

  #leaveUnresolved(question: LeaseQuestion): void {
    question.organization.isUnresolved = true;
    for (const allowance of question.allowances) allowance.isUnresolved = true;
    this.#requeue(question);
  }

  #requeue({ organization, allowances, recalled }: LeaseQuestion): void {
    organization.isAsking = false;
    for (const allowance of allowances) organization.addNeedy(allowance);
    if (recalled?.recallWait != null) recalled.recallWait.isDue = true;
    const isUrgent =
      organization.stillWaiting().length > 0 || allowances.some((allowance) => allowance.mode === "exact");
    this.need(organization, isUrgent ? "now" : "later");
  }

  /** Handles a fenced lease. If a heartbeat has been answered since the first refusal, registers a new epoch. */
  #fence(organization: OrganizationLease): void {
    if (organization.fencedAfterBeats !== null && this.#heartbeat.beatsAnswered > organization.fencedAfterBeats) {
      this.#heartbeat.registerAnew();
      return;
    }
    organization.fencedAfterBeats ??= this.#heartbeat.beatsAnswered;
    this.#heartbeat.suspect();
  }

  #pauseAfterFailure(): void {
    const pauseMs = Math.min(FIRST_FAILURE_PAUSE_MS * 2 ** this.#failures, MAX_FAILURE_PAUSE_MS);
    this.#failures += 1;
    this.#pausedUntilMs = this.#clock.monotonicMs() + pauseMs;
  }

  #wakeAt(atMs: number, nowMs: number): void {
    if (this.#timer !== null && this.#timer.atMs <= atMs && this.#timer.atMs > nowMs) return;
    this.#timer?.cancel();
    const cancel = this.#clock.after(atMs - nowMs, () => {
      this.#timer = null;
      this.schedule();
    });
    this.#timer = { atMs, cancel };
  }
}
