import type { Run, Step } from "@tollgate/domain/assistants/records.ts";
import { sql } from "kysely";
import type { Access } from "./access.ts";
import { type CommandedRun, commandRun } from "./command-run.ts";
import { type FullQueue, findFullQueue, type QueueLimits } from "./queue-limits.ts";
import { lockRun } from "./runs.ts";
import { sealRecord } from "./sealed-record.ts";
import { readSteps, rewriteStep } from "./steps.ts";
import { reserveStorage } from "./storage-quota.ts";
import { lockThread } from "./threads.ts";

interface GivenOutput {
  readonly toolCallId: string;
  readonly output: string;
}

type SubmittedRun = RunAnswer | { readonly kind: "queue_full"; readonly queue: FullQueue };

type RunAnswer =
  | { readonly kind: "changed" | "refused"; readonly run: Run }
  | { readonly kind: "absent" }
  | { readonly kind: "other_calls"; readonly missing: readonly string[]; readonly unknown: readonly string[] };

interface Submission {
  /** Key that the next turns are charged to, and its organization. */
  readonly acting: { readonly keyId: string; readonly organizationId: string | null };
  readonly outputs: readonly GivenOutput[];
  readonly isStreamed: boolean;
  readonly queueLimits: QueueLimits;
}

/** Stores the outputs of all required tool calls together and requeues the run for the key that submitted them. */
export async function submitOutputs(
  access: Access,
  threadId: string,
  id: string,
  { acting, outputs, isStreamed, queueLimits }: Submission,
): Promise<SubmittedRun> {
  const thread = await lockThread(access, threadId);
  const locked = thread === null ? null : await lockRun(access, threadId, id);
  if (locked === null) return { kind: "absent" };
  const { run, nowMs } = locked;
  if (run.state.status !== "requires_action") return { kind: "refused", run };
  const waiting = (run.fields.required ?? []).map((call) => call.id);
  const given = new Map(outputs.map(({ toolCallId, output }) => [toolCallId, output]));
  const missing = waiting.filter((call) => !given.has(call));
  const unknown = [...given.keys()].filter((call) => !waiting.includes(call));
  if (missing.length > 0 || unknown.length > 0) return { kind: "other_calls", missing, unknown };

  const queue = await findFullQueue(access, acting, queueLimits);
  if (queue !== null) return { kind: "queue_full", queue };
  const answered = (await readSteps(access, run))
    .map((step) => answer(step, given, nowMs))
    .filter((step) => step !== null);
  // The outputs replace steps without them, so at most the size of those steps is reserved in excess.
  await reserveStorage(
    access,
    answered.map(({ id: stepId, fields }) => sealRecord(access.sealer, stepId, fields)),
  );
  const charged = { key_id: acting.keyId, organization_id: acting.organizationId };
  const columns = { queued_at: new Date(nowMs), is_streamed: isStreamed, ...charged };
  const commanded = await commandRun(access, locked, { kind: "submit" }, { columns });
  if (commanded.kind !== "changed") return toAnswer(commanded);
  for (const step of answered) await rewriteStep(access, step, { key_id: acting.keyId });
  await sql`select enqueue_run(${id})`.execute(access.transaction);
  return toAnswer(commanded);
}

/** Requests cancellation of a run. A run without a worker has ended when this function returns. */
export async function cancelRun(access: Access, threadId: string, id: string): Promise<RunAnswer> {
  const thread = await lockThread(access, threadId);
  const locked = thread === null ? null : await lockRun(access, threadId, id);
  if (locked === null) return { kind: "absent" };
  return toAnswer(await commandRun(access, locked, { kind: "cancel" }));
}

/** Converts the result of a command. A command that changes nothing is not an error. */
function toAnswer({ kind, run }: CommandedRun): RunAnswer {
  return { kind: kind === "refused" ? "refused" : "changed", run };
}

function answer(step: Step, given: ReadonlyMap<string, string>, nowMs: number): Step | null {
  const { details, status } = step.fields;
  if (details.type !== "tool_calls" || status !== "in_progress") return null;
  const calls = details.calls.map((call) => ({ ...call, output: given.get(call.id) ?? call.output }));
  return { ...step, fields: { ...step.fields, status: "completed", endedAtMs: nowMs, details: { ...details, calls } } };
}
