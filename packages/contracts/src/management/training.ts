import Type, { type Static } from "typebox";
import { NullableTime, nullable, Time } from "./fields.ts";

/** `interrupted`: not finished, and no coordinator is running. */
const runStatuses = ["running", "interrupted", "paused", "failed", "finished", "unreadable"] as const;
const Accuracy = nullable(Type.Number());
const Metrics = Type.Record(Type.String(), Type.Number());

const summary = {
  id: Type.String(),
  name: Type.String(),
  status: Type.Enum(runStatuses),
  reason: nullable(Type.String()),
  startedAt: NullableTime,
  updatedAt: NullableTime,
  roundsDone: Type.Integer(),
  roundsTotal: Type.Integer(),
  participants: Type.Integer(),
  lastAccuracy: Accuracy,
  method: Type.String(),
};

export const TrainingRunSummary = Type.Object(summary);
export type TrainingRunSummary = Static<typeof TrainingRunSummary>;

export const TrainingRunList = Type.Object({
  /** False if no runs folder is configured. */
  enabled: Type.Boolean(),
  runs: Type.Array(TrainingRunSummary, { description: "Most recently updated first" }),
});

const TrainingParticipantRound = Type.Object({
  id: Type.String(),
  state: Type.String(),
  /** Reason for the failure, for display. */
  reason: nullable(Type.String()),
  code: nullable(Type.String()),
  slow: Type.Boolean({ description: "Whether it took more than twice the median of its round" }),
  accuracy: Accuracy,
  loss: nullable(Type.Number()),
  durationMs: nullable(Type.Number()),
  examples: nullable(Type.Integer()),
  parameterBytes: nullable(Type.Integer()),
  share: nullable(Type.Number()),
  attempts: nullable(Type.Integer()),
});

export const TrainingRound = Type.Object({
  round: Type.Integer(),
  state: Type.String(),
  reason: nullable(Type.String()),
  startedAt: Time,
  finishedAt: NullableTime,
  durationMs: nullable(Type.Number()),
  accuracy: Accuracy,
  min: Accuracy,
  max: Accuracy,
  loss: nullable(Type.Number()),
  metrics: Metrics,
  warnings: Type.Array(Type.String()),
  participants: Type.Array(TrainingParticipantRound),
});
export type TrainingRound = Static<typeof TrainingRound>;

export const TrainingRun = Type.Object({
  ...summary,
  metric: Type.String(),
  parameterBytes: nullable(Type.Integer()),
  best: nullable(Type.Object({ round: Type.Integer(), score: Type.Number() })),
  final: nullable(Type.Object({ round: Type.Integer(), sha256: Type.String(), reason: Type.String() })),
  members: Type.Array(
    Type.Object({ id: Type.String(), roles: Type.Array(Type.String()), quarantined: Type.Boolean() }),
  ),
  rounds: Type.Array(TrainingRound),
  files: Type.Array(Type.Object({ name: Type.String(), bytes: nullable(Type.Integer()) }), {
    description: "Files available from getTrainingFile. Bytes is null for files that are generated on request",
  }),
});
export type TrainingRun = Static<typeof TrainingRun>;
