import type { JournalEntry, PlanSummary, RoundStartedFact } from "./journal/journal-entry.ts";
import type { ParticipantState, RoundSummary } from "./run-events.ts";
import type { FailureHistory, ParticipantRound, RoundHistory, RunHistory } from "./run-history.ts";
import { RunState } from "./run-state.ts";

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type RoundDraft = Omit<Writable<RoundHistory>, "participants" | "warnings"> & {
  participants: Map<string, Writable<ParticipantRound>>;
  warnings: string[];
};

/** Folds journal entries, in order, into a run's history. */
export class HistoryFold {
  /** State from which a coordinator resumes, folded from the same entries. */
  readonly state = new RunState();
  readonly #rounds: RoundDraft[] = [];
  #plan: PlanSummary | null = null;
  #updatedAt = "";
  #reason: string | null = null;
  #best: RunHistory["best"] = null;
  #final: RunHistory["final"] = null;

  apply(entry: JournalEntry): void {
    this.state.apply(entry);
    this.#updatedAt = entry.at;
    switch (entry.type) {
      case "run.started":
        this.#plan = entry.plan;
        return;
      case "run.resumed":
        this.#plan = entry.plan;
        this.#reason = null;
        this.#final = null;
        return;
      case "round.started":
        this.#startRound(entry);
        return;
      case "result.received": {
        const { numExamples, metrics, durationMs, byteLength, attempts, updateNorm } = entry;
        const train = {
          numExamples,
          metrics,
          durationMs,
          byteLength,
          attempts,
          updateNorm,
          share: null,
          capped: false,
        };
        Object.assign(this.#participant(entry.participant), { train, state: "trained" });
        return;
      }
      case "participant.failed": {
        const failure: FailureHistory = { phase: entry.phase, reason: entry.reason, code: entry.code };
        Object.assign(this.#participant(entry.participant), { failure, state: stateOfFailure(failure) });
        return;
      }
      case "training.closed":
        for (const { participant, share, capped } of entry.members) {
          const draft = this.#participant(participant);
          if (draft.train !== null) draft.train = { ...draft.train, share, capped };
        }
        for (const draft of this.#last().participants.values()) {
          // Training closed before this participant was called.
          if (draft.state === "training") draft.state = "not selected";
        }
        this.#last().state = "aggregating";
        return;
      case "aggregated":
        Object.assign(this.#last(), { sha256: entry.sha256, aggregatedBy: entry.by, state: "evaluating" });
        this.#last().warnings.push(...entry.warnings);
        return;
      case "evaluated":
        for (const { participant, accuracy, numExamples, metrics, durationMs } of entry.results) {
          const evaluate = { accuracy, numExamples, metrics, durationMs };
          Object.assign(this.#participant(participant), { evaluate, state: "evaluated" });
        }
        Object.assign(this.#last(), {
          accuracy: entry.accuracy,
          min: entry.min,
          max: entry.max,
          metrics: entry.metrics,
          score: entry.score,
        });
        return;
      case "committed":
        if (entry.best && entry.score !== null) this.#best = { round: entry.round, score: entry.score };
        this.#endRound(entry.at, "committed", null);
        return;
      case "rejected":
        this.#endRound(entry.at, "rejected", entry.reason);
        return;
      case "round.failed":
        this.#endRound(entry.at, "failed", entry.reason);
        return;
      case "run.paused":
      case "run.failed":
        this.#reason = entry.reason;
        return;
      case "run.finished":
        this.#reason = entry.reason;
        this.#final = { round: entry.finalRound, sha256: entry.sha256, reason: entry.reason };
        return;
    }
  }

  /** Latest plan in the journal. */
  get plan(): PlanSummary | null {
    return this.#plan;
  }

  /** Returns the current history; null if the run has not started. */
  history(): RunHistory | null {
    const { run, startedAt, ended, lastRound } = this.state;
    const plan = this.#plan;
    if (run === null || startedAt === null || plan === null) return null;
    return {
      run,
      name: plan.name,
      startedAt,
      updatedAt: this.#updatedAt,
      state: ended ?? "open",
      reason: this.#reason,
      plannedRounds: plan.rounds,
      method: plan.method,
      metric: plan.metric,
      participants: plan.participants.map((participant) => ({
        ...participant,
        quarantined: this.state.isQuarantined(participant.id, lastRound + 1),
        failedRoundsInARow: this.state.failedRoundsInARow(participant.id),
      })),
      rounds: this.#rounds.map((round) => this.#finish(round)),
      best: this.#best,
      final: this.#final,
    };
  }

  /** Returns the latest round only. */
  lastRound(): RoundHistory {
    return this.#finish(this.#last());
  }

  #startRound(entry: RoundStartedFact & { readonly at: string }): void {
    // A failed round and its retry share one entry in the history.
    const before = this.#rounds.at(-1)?.round === entry.round ? this.#rounds.pop() : undefined;
    this.#rounds.push({
      round: entry.round,
      attempt: entry.attempt,
      state: "training",
      reason: null,
      startedAt: entry.at,
      finishedAt: null,
      durationMs: null,
      selected: entry.selected,
      sha256: null,
      aggregatedBy: null,
      accuracy: null,
      min: null,
      max: null,
      metrics: {},
      score: null,
      warnings: [],
      participants: new Map(),
    });
    for (const id of entry.quarantined) this.#participant(id).state = "quarantined";
    for (const id of entry.selected) {
      const isReused = this.state.open?.results.has(id) ?? false;
      const train = isReused ? (before?.participants.get(id)?.train ?? null) : null;
      Object.assign(this.#participant(id), { train, state: isReused ? "trained" : "training" });
    }
  }

  #endRound(at: string, state: RoundHistory["state"], reason: string | null): void {
    const draft = this.#last();
    const durationMs = Math.max(0, Date.parse(at) - Date.parse(draft.startedAt));
    Object.assign(draft, { state, reason, finishedAt: at, durationMs });
  }

  #participant(id: string): Writable<ParticipantRound> {
    const { participants } = this.#last();
    const found = participants.get(id);
    if (found !== undefined) return found;
    const created: Writable<ParticipantRound> = { id, state: "waiting", train: null, evaluate: null, failure: null };
    participants.set(id, created);
    return created;
  }

  #last(): RoundDraft {
    const last = this.#rounds.at(-1);
    if (last === undefined) throw new Error("The journal has a step of a round before any round started.");
    return last;
  }

  #finish(draft: RoundDraft): RoundHistory {
    const order = new Map(this.#plan?.participants.map(({ id }, index) => [id, index]));
    // Participants no longer in the plan come last.
    const placeOf = ({ id }: { readonly id: string }) => order.get(id) ?? order.size;
    const participants = [...draft.participants.values()].sort((a, b) => placeOf(a) - placeOf(b));
    return { ...draft, warnings: [...draft.warnings], participants: participants.map((one) => ({ ...one })) };
  }
}

/** Summarizes a round in one line. */
export function summarizeRound(round: RoundHistory, rounds: number, evaluators: number, isBest: boolean): RoundSummary {
  const { participants } = round;
  return {
    round: round.round,
    rounds,
    durationMs: round.durationMs ?? 0,
    trained: participants.filter(({ train }) => train !== null && train.share !== null).length,
    selected: round.selected.length,
    evaluated: participants.filter(({ evaluate }) => evaluate !== null).length,
    evaluators,
    accuracy: round.accuracy,
    min: round.min,
    max: round.max,
    score: round.score,
    best: isBest,
    sha256: round.sha256,
    failures: participants.flatMap(({ id, failure }) =>
      failure === null ? [] : [{ participant: id, reason: failure.reason }],
    ),
  };
}

function stateOfFailure({ phase, code }: FailureHistory): ParticipantState {
  if (code === "LATE") return "late";
  return phase === "select" ? "unavailable" : "failed";
}
