/** Status of a run. The first four statuses are open. The others are final. */
export type RunStatus =
  | "queued"
  | "in_progress"
  | "requires_action"
  | "cancelling"
  | "cancelled"
  | "failed"
  | "completed"
  | "incomplete"
  | "expired";

const OPEN: ReadonlySet<RunStatus> = new Set(["queued", "in_progress", "requires_action", "cancelling"]);

/** Reports whether a run in this status blocks new runs on its thread. */
export function isOpen(status: RunStatus): boolean {
  return OPEN.has(status);
}

/** State that decides a run's transitions, without its contents. Times are Unix milliseconds. */
export interface RunState {
  readonly status: RunStatus;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  /** Null once the run has ended. */
  readonly expiresAtMs: number | null;
  readonly endedAtMs: number | null;
  /** Time at which a canceled run ends even if its worker doesn't stop. */
  readonly cancelByMs: number | null;
  /** Number of times another worker took over because the previous worker stopped responding. */
  readonly takeovers: number;
}

export type RunCommand =
  /** A worker starts the run, or resumes it after tool outputs. */
  | { readonly kind: "start" }
  /** The model requests function calls. */
  | { readonly kind: "require_action" }
  /** The client has submitted all tool outputs. */
  | { readonly kind: "submit" }
  | { readonly kind: "cancel" }
  /** The worker has stopped as requested. */
  | { readonly kind: "stop" }
  | { readonly kind: "complete" }
  /** The run reached a token limit. */
  | { readonly kind: "run_out" }
  | { readonly kind: "fail" }
  /** Checks whether the run has expired, or its worker has missed the deadline to stop. */
  | { readonly kind: "tick" }
  /** The run's worker has stopped responding. */
  | { readonly kind: "orphan" };

type RunChange =
  | { readonly kind: "changed"; readonly run: RunState }
  /** No change: the run is already in this state, or its deadline has not passed. */
  | { readonly kind: "same" }
  | { readonly kind: "refused" };

/** Lifetime of a run, from its creation and again from each submission of tool outputs. */
export const RUN_LIFE_MS = 600_000;
export const CANCEL_LIMIT_MS = 600_000;
/** Maximum number of takeovers after a worker stops responding. After that, the run fails. */
export const MAX_TAKEOVERS = 1;

const SAME: RunChange = { kind: "same" };
const REFUSED: RunChange = { kind: "refused" };

/** Creates a run that waits for a worker. */
export function createRun(nowMs: number): RunState {
  return {
    status: "queued",
    createdAtMs: nowMs,
    startedAtMs: null,
    expiresAtMs: nowMs + RUN_LIFE_MS,
    endedAtMs: null,
    cancelByMs: null,
    takeovers: 0,
  };
}

/** Applies a command to a run. Every change to a run goes through this function, while its row is locked. */
export function changeRun(run: RunState, command: RunCommand, nowMs: number): RunChange {
  const { status } = run;
  switch (command.kind) {
    case "start":
      if (status !== "queued") return REFUSED;
      return changed({ ...run, status: "in_progress", startedAtMs: run.startedAtMs ?? nowMs });
    case "require_action":
      if (status === "cancelling") return end(run, "cancelled", nowMs);
      return status === "in_progress" ? changed({ ...run, status: "requires_action" }) : REFUSED;
    case "submit":
      if (status !== "requires_action") return REFUSED;
      return changed({ ...run, status: "queued", expiresAtMs: nowMs + RUN_LIFE_MS });
    case "cancel":
      return cancel(run, nowMs);
    case "stop":
      return status === "cancelling" ? end(run, "cancelled", nowMs) : REFUSED;
    case "complete":
      return isWorkedOn(status) ? end(run, "completed", nowMs) : REFUSED;
    case "run_out":
      if (status === "cancelling") return end(run, "cancelled", nowMs);
      return status === "in_progress" ? end(run, "incomplete", nowMs) : REFUSED;
    case "fail":
      return isWorkedOn(status) ? end(run, "failed", nowMs) : REFUSED;
    case "tick":
      return tick(run, nowMs);
    case "orphan":
      return takeUp(run, nowMs);
  }
}

function cancel(run: RunState, nowMs: number): RunChange {
  if (run.status === "cancelling") return SAME;
  if (run.status === "requires_action") return end(run, "cancelled", nowMs);
  if (run.status !== "queued" && run.status !== "in_progress") return REFUSED;
  return changed({ ...run, status: "cancelling", cancelByMs: nowMs + CANCEL_LIMIT_MS });
}

function tick(run: RunState, nowMs: number): RunChange {
  if (!isOpen(run.status)) return SAME;
  if (run.expiresAtMs !== null && nowMs >= run.expiresAtMs) return end(run, "expired", nowMs);
  if (run.cancelByMs !== null && nowMs >= run.cancelByMs) return end(run, "cancelled", nowMs);
  return SAME;
}

function takeUp(run: RunState, nowMs: number): RunChange {
  if (run.status === "cancelling") return end(run, "cancelled", nowMs);
  if (run.status !== "in_progress") return SAME;
  if (run.takeovers >= MAX_TAKEOVERS) return end(run, "failed", nowMs);
  return changed({ ...run, status: "queued", takeovers: run.takeovers + 1 });
}

function isWorkedOn(status: RunStatus): boolean {
  return status === "in_progress" || status === "cancelling";
}

function end(run: RunState, status: RunStatus, nowMs: number): RunChange {
  return changed({ ...run, status, endedAtMs: nowMs, expiresAtMs: null, cancelByMs: null });
}

function changed(run: RunState): RunChange {
  return { kind: "changed", run };
}
