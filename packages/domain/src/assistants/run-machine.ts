/** How far a run is. The first four are open, the others its end. */
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

/** Whether a thread with such a run takes no other. */
export function isOpen(status: RunStatus): boolean {
  return OPEN.has(status);
}

/** What decides about a run; its contents are elsewhere. Times are Unix milliseconds. */
export interface RunState {
  readonly status: RunStatus;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  /** Null once it is over. */
  readonly expiresAtMs: number | null;
  readonly endedAtMs: number | null;
  /** A cancelled run whose worker does not stop is ended then. */
  readonly cancelByMs: number | null;
  /** How often another worker took it up, because the one before fell silent. */
  readonly takeovers: number;
}

export type RunCommand =
  /** A worker begins, or goes on after tool outputs. */
  | { readonly kind: "start" }
  /** The model asks for functions. */
  | { readonly kind: "require_action" }
  /** The client answered them all. */
  | { readonly kind: "submit" }
  | { readonly kind: "cancel" }
  /** The worker has stopped because it was asked to. */
  | { readonly kind: "stop" }
  | { readonly kind: "complete" }
  /** A limit of tokens ended it. */
  | { readonly kind: "run_out" }
  | { readonly kind: "fail" }
  /** Time passed: expiry, and the end of patience with a worker that does not stop. */
  | { readonly kind: "tick" }
  /** Its worker is silent. */
  | { readonly kind: "orphan" };

export type RunChange =
  | { readonly kind: "changed"; readonly run: RunState }
  /** Nothing to do: it is so already, or time has not come. */
  | { readonly kind: "same" }
  | { readonly kind: "refused" };

/** From creation, and again from each submission of outputs. */
export const RUN_LIFE_MS = 600_000;
export const CANCEL_LIMIT_MS = 600_000;
/** A run whose worker died is taken up by another so often, then it has failed. */
export const MAX_TAKEOVERS = 1;

const SAME: RunChange = { kind: "same" };
const REFUSED: RunChange = { kind: "refused" };

/** A new run, waiting for a worker. */
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

/** What a command makes of a run. Everything that changes a run asks here, under the lock of its row. */
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
