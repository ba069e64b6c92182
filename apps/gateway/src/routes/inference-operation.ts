import { Failure } from "@tollgate/contracts/failures.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import type { Exchange } from "../edge/exchange.ts";
import type { InferenceOperation } from "../edge/route-table.ts";
import type { OperationKind } from "../operations/operation-kind.ts";
import type { CallAccount } from "../pipeline/account/call-account.ts";
import type { Call } from "../pipeline/call.ts";
import type { UpstreamAnswer } from "../pipeline/call-upstream.ts";
import type { Caller } from "../pipeline/caller.ts";
import type { CallSteps } from "../pipeline/steps.ts";
import { nameDeployment } from "../pipeline/upstream/name-deployment.ts";

/** Shared description fields of all inference operations. */
export const inferenceRules = {
  method: "POST",
  auth: "key",
  routeGroup: "inference",
  billing: "priced",
  timeoutMs: 600_000,
} as const;

/** Creates an inference operation, which runs the steps of a call in order. A step throws a Failure to end the call. */
export function inferenceOperation(
  steps: CallSteps,
  kind: OperationKind,
  description: OperationDescription,
): InferenceOperation {
  /** Reads the body, and adds the earlier conversation if the request continues one. */
  const readBody = (exchange: Exchange, caller: Caller): Promise<Buffer> => {
    const read = steps.readBody(exchange, description, kind);
    if (kind.hasConversation !== true) return read;
    return read.then((bytes) => steps.recall(exchange, caller, description, bytes));
  };
  return {
    ...description,
    ...(kind.words !== undefined && { words: kind.words }),

    async handle(exchange) {
      let caller: Caller | null = null;
      let hasEntered = false;
      let call: Call | null = null;
      let account: CallAccount | null = null;
      try {
        // The key is checked before the body is read, so that an invalid key is reported before an invalid body.
        const known = steps.authenticate(exchange);
        caller = known instanceof Promise ? await known : known;
        steps.admitCaller(caller, description);
        const turn = steps.enter(exchange, caller, kind.priority);
        if (turn !== null) await turn;
        hasEntered = true;
        call = steps.readCall(exchange, caller, kind, await readBody(exchange, caller));
        const early = answerEarly(steps, call);
        if (early !== null && (await early)) return;
        const target = steps.chooseTarget(call);
        // From here on, the call has an account that must be closed, regardless of the outcome. A refusal before this
        // point is free.
        const opened = steps.openAccount(call, target);
        account = opened instanceof Promise ? await opened : opened;
        if (call.guards !== null) call.guards.beginBeside(call);
        let answer: UpstreamAnswer;
        try {
          answer = await steps.callUpstream(call, target);
        } catch (error) {
          answer = await steps.tryOthers(account, error);
        }
        // The last byte is sent only after the usage is on disk. A stream can fail before its first byte, and another
        // deployment is then tried.
        for (let failed = await steps.relay(account, answer); failed !== null; ) {
          answer = await steps.tryOthers(account, failed);
          failed = await steps.relay(account, answer);
        }
      } catch (error) {
        // No byte has been sent yet, so the whole call failed, and the server responds with the failure.
        if (account === null) steps.noteRefusal(exchange, caller, call, kind.name, error);
        throw await endFailed(steps, call, account, error);
      } finally {
        if (hasEntered && caller !== null) steps.leave(exchange, caller);
      }
    },
  };
}

/**
 * Sends a response without calling a model, if an idempotent replay or the cache provides one. Guardrails are checked
 * after the replay lookup and before the cache lookup. Resolves to whether a response was sent. Returns null if neither
 * applies, so that most calls don't wait.
 */
function answerEarly(steps: CallSteps, call: Call): Promise<boolean> | null {
  const repeated = steps.findRepeated(call);
  if (repeated === null) return guardAndFind(steps, call);
  return repeated.then((isAnswered) => isAnswered || (guardAndFind(steps, call) ?? false));
}

function guardAndFind(steps: CallSteps, call: Call): Promise<boolean> | null {
  const guarded = steps.guardRequest(call);
  if (guarded === null) return steps.findCached(call);
  return guarded.then(() => steps.findCached(call) ?? false);
}

/**
 * Ends a failed call. Lets the caller retry with the same idempotency key, releases the hold, and returns the error for
 * the caller.
 */
async function endFailed(
  steps: CallSteps,
  call: Call | null,
  account: CallAccount | null,
  error: unknown,
): Promise<unknown> {
  if (call !== null && call.claim !== null) await call.claim.release();
  if (account === null) return error;
  steps.closeFailed(account, error);
  return error instanceof Failure ? nameDeployment(error, account.deployment, account.call) : error;
}
