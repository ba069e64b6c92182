import { Failure } from "@tollgate/contracts/failures.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import type { InferenceOperation } from "../edge/route-table.ts";
import type { OperationKind } from "../operations/operation-kind.ts";
import type { Call } from "../pipeline/call.ts";
import type { CallAccount } from "../pipeline/call-account.ts";
import type { UpstreamAnswer } from "../pipeline/call-upstream.ts";
import type { Caller } from "../pipeline/caller.ts";
import type { CallSteps } from "../pipeline/steps.ts";

/** What is the same in the description of every inference operation. */
export const inferenceRules = {
  method: "POST",
  auth: "key",
  routeGroup: "inference",
  billing: "priced",
  timeoutMs: 600_000,
} as const;

/** An inference operation: one step of its call after the other; a step throws a Failure to end it. */
export function inferenceOperation(
  steps: CallSteps,
  kind: OperationKind,
  description: OperationDescription,
): InferenceOperation {
  return {
    ...description,

    async handle(exchange) {
      let caller: Caller | null = null;
      let hasEntered = false;
      let call: Call | null = null;
      let account: CallAccount | null = null;
      exchange.words = kind.words ?? null;
      try {
        // Before the body is read: a bad key always beats a bad body.
        const known = steps.authenticate(exchange);
        caller = known instanceof Promise ? await known : known;
        steps.admitCaller(caller, description);
        const turn = steps.enter(exchange, caller, kind.priority);
        if (turn !== null) await turn;
        hasEntered = true;
        call = steps.readCall(exchange, caller, kind, await steps.readBody(exchange, description, kind));
        const repeated = steps.findRepeated(call);
        if (repeated !== null && (await repeated)) return;
        const guarded = steps.guardRequest(call);
        if (guarded !== null) await guarded;
        const cached = steps.findCached(call);
        if (cached !== null && (await cached)) return;
        const target = steps.chooseTarget(call);
        // From here on the call is paid for, whatever becomes of it; before, a refusal costs nothing.
        const opened = steps.openAccount(call, target);
        account = opened instanceof Promise ? await opened : opened;
        let answer: UpstreamAnswer;
        try {
          answer = await steps.callUpstream(call, target);
        } catch (error) {
          answer = await steps.tryOthers(account, error);
        }
        // The last byte leaves when the usage is on disk. A stream may fail before its first.
        for (let failed = await steps.relay(account, answer); failed !== null; ) {
          answer = await steps.tryOthers(account, failed);
          failed = await steps.relay(account, answer);
        }
      } catch (error) {
        // Nothing was sent yet: the call failed as a whole, and the server answers with the failure.
        if (call !== null && call.claim !== null) await call.claim.release();
        if (account === null) steps.noteRefusal(exchange, caller, call, kind.name, error);
        else steps.closeFailed(account, error);
        throw account !== null && error instanceof Failure ? nameDeployment(error, account) : error;
      } finally {
        if (hasEntered && caller !== null) steps.leave(caller);
      }
    },
  };
}

/** The same failure with the deployment that was chosen last and how many were, which the answer names. */
function nameDeployment(failure: Failure, { deployment, call }: CallAccount): Failure {
  const { facts } = failure;
  const { model, retries, maxRetries, fallbacks } = call;
  const route = { modelId: deployment.id, modelGroup: model.shownHeader, retries, maxRetries, fallbacks };
  return new Failure(failure.code, failure.message, {
    ...facts,
    detail: { ...facts.detail, ...route },
    cause: failure,
  });
}
