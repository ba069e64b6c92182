import type {
  AggregatedFact,
  CommittedFact,
  EvaluatedFact,
  JournalEntry,
  ParticipantFailedFact,
  ResultReceivedFact,
  RoundStartedFact,
  TrainingClosedFact,
} from "./journal/journal-entry.ts";

/** Number of consecutive failed rounds after which a participant sits out. */
export const QUARANTINE_AFTER = 3;
const PROBE_EVERY = 5;

/** Parameters committed by a round. */
export interface Checkpoint {
  readonly round: number;
  readonly sha256: string;
  readonly state: string | null;
  readonly format: string | null;
  readonly score: number | null;
}

/** A round that has started but not ended, with all its durable steps. */
export interface OpenRound {
  readonly start: RoundStartedFact;
  readonly startedAt: string;
  readonly results: Map<string, ResultReceivedFact>;
  readonly failures: Map<string, ParticipantFailedFact>;
  closed: TrainingClosedFact | null;
  aggregated: AggregatedFact | null;
  evaluated: EvaluatedFact | null;
}

/**
 * State that a coordinator needs to resume. It is always built by replaying the journal, both while running and after a
 * crash.
 */
export class RunState {
  run: string | null = null;
  startedAt: string | null = null;
  initial: string | null = null;
  /** The last round that was committed or rejected. */
  lastRound = 0;
  open: OpenRound | null = null;
  /** Failed attempts at the round after `lastRound`, since the run was last resumed. */
  failedAttempts = 0;
  ended: "paused" | "failed" | "finished" | null = null;
  /** Committed rounds, oldest first. */
  readonly checkpoints: Checkpoint[] = [];
  best: Checkpoint | null = null;
  firstAccuracy: number | null = null;
  lastAccuracy: number | null = null;
  readonly #failedInARow = new Map<string, number>();
  readonly #quarantinedSince = new Map<string, number>();
  /** A failed round. The next attempt can reuse its results if it starts from the same parameters. */
  leftOver: OpenRound | null = null;

  /** Current parameters; null before the first commit of a run without initial parameters. */
  get current(): Checkpoint | null {
    return this.checkpoints.at(-1) ?? null;
  }

  /** Reports whether a participant sits out this round. It gets another chance every fifth round. */
  isQuarantined(participant: string, round: number): boolean {
    const since = this.#quarantinedSince.get(participant);
    return since !== undefined && (round - since) % PROBE_EVERY !== 0;
  }

  failedRoundsInARow(participant: string): number {
    return this.#failedInARow.get(participant) ?? 0;
  }

  apply(entry: JournalEntry): void {
    switch (entry.type) {
      case "run.started":
        this.run = entry.run;
        this.startedAt = entry.at;
        this.initial = entry.initial;
        return;
      case "run.resumed":
        this.ended = null;
        this.failedAttempts = 0;
        return;
      case "round.started":
        this.open = this.#startRound(entry);
        return;
      case "result.received":
        this.#openRound().results.set(entry.participant, entry);
        return;
      case "participant.failed":
        this.#openRound().failures.set(entry.participant, entry);
        return;
      case "training.closed":
        this.#openRound().closed = entry;
        return;
      case "aggregated":
        this.#openRound().aggregated = entry;
        return;
      case "evaluated":
        this.#openRound().evaluated = entry;
        return;
      case "committed":
        this.#commit(entry);
        this.#endRound(entry.round);
        return;
      case "rejected":
        this.#endRound(entry.round);
        return;
      case "round.failed":
        this.leftOver = this.#openRound();
        this.open = null;
        this.failedAttempts += 1;
        return;
      case "run.paused":
        this.ended = "paused";
        return;
      case "run.failed":
        this.ended = "failed";
        return;
      case "run.finished":
        this.ended = "finished";
        return;
    }
  }

  #startRound(entry: RoundStartedFact & { readonly at: string }): OpenRound {
    const open: OpenRound = {
      start: entry,
      startedAt: entry.at,
      results: new Map(),
      failures: new Map(),
      closed: null,
      aggregated: null,
      evaluated: null,
    };
    const before = this.leftOver;
    if (before !== null && before.start.round === entry.round && before.start.base === entry.base) {
      for (const participant of entry.selected) {
        const result = before.results.get(participant);
        const isRefused = before.failures.get(participant)?.phase === "train";
        if (result !== undefined && !isRefused) open.results.set(participant, result);
      }
    }
    this.leftOver = null;
    return open;
  }

  #commit({ round, sha256, state, score, best }: CommittedFact): void {
    const open = this.#openRound();
    const checkpoint = { round, sha256, state, score, format: open.aggregated?.format ?? null };
    this.checkpoints.push(checkpoint);
    if (best) this.best = checkpoint;
    if (open.evaluated !== null) {
      this.firstAccuracy ??= open.evaluated.accuracy;
      this.lastAccuracy = open.evaluated.accuracy;
    }
  }

  #endRound(round: number): void {
    const { results, evaluated, failures } = this.#openRound();
    const evaluators = evaluated?.results.map(({ participant }) => participant) ?? [];
    // A participant that was selected but never called counts neither as failed nor as successful.
    for (const participant of new Set([...results.keys(), ...evaluators, ...failures.keys()])) {
      const inARow = failures.has(participant) ? this.failedRoundsInARow(participant) + 1 : 0;
      this.#failedInARow.set(participant, inARow);
      if (inARow === 0) this.#quarantinedSince.delete(participant);
      else if (inARow === QUARANTINE_AFTER) this.#quarantinedSince.set(participant, round);
    }
    this.lastRound = round;
    this.failedAttempts = 0;
    this.open = null;
  }

  #openRound(): OpenRound {
    if (this.open === null) throw new Error("The journal has a step of a round that was never started.");
    return this.open;
  }
}
