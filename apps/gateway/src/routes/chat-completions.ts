import { ChatRequest, ChatRequestForModel } from "@tollgate/contracts/chat/chat-request.ts";
import { ChatChunk, ChatResponse } from "@tollgate/contracts/chat/chat-response.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { modelTwins } from "@tollgate/contracts/operations.ts";
import type { InferenceOperation } from "../edge/route-table.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { ChatCall } from "../pipeline/call.ts";
import type { CallAccount } from "../pipeline/call-account.ts";
import type { Caller } from "../pipeline/caller.ts";
import type { CallSteps } from "../pipeline/steps.ts";
import { inferenceFailures } from "./inference-failures.ts";

/** Chat completions: the call every client makes. One step after the other; a step throws a Failure to end it. */
export const chatCompletions = (steps: CallSteps): InferenceOperation => {
  const operation: InferenceOperation = {
    id: "createChatCompletion",
    summary: "Create a chat completion",
    tag: "chat",
    method: "POST",
    paths: modelTwins("/chat/completions"),
    auth: "key",
    routeGroup: "inference",
    billing: "priced",
    bodyLimitBytes: 50 * 1024 * 1024,
    timeoutMs: 600_000,
    body: ChatRequest,
    bodyUnderModelPath: ChatRequestForModel,
    answers: {
      200: {
        description: "The model's answer, streamed when `stream` is true.",
        schema: ChatResponse,
        streamed: ChatChunk,
      },
      ...inferenceFailures,
    },

    async handle(exchange) {
      let caller: Caller | null = null;
      let call: ChatCall | null = null;
      let target: Deployment;
      let account: CallAccount;
      try {
        // Before the body is read: a bad key always beats a bad body.
        const known = steps.authenticate(exchange);
        caller = known instanceof Promise ? await known : known;
        steps.admitCaller(caller, operation);
        call = steps.readCall(exchange, caller, await steps.readBody(exchange));
        target = steps.chooseTarget(call);
        // From here on the call is paid for, whatever becomes of it; before, a refusal costs nothing.
        const opened = steps.openAccount(call, target);
        account = opened instanceof Promise ? await opened : opened;
      } catch (error) {
        steps.noteRefusal(exchange, caller, call, error);
        throw error;
      }
      try {
        const answer = await steps.callUpstream(call, target);
        // The last byte leaves when the usage is on disk.
        await (answer.stream === null ? steps.relayAnswer(account, answer) : steps.relayStream(account, answer));
      } catch (error) {
        // Nothing was sent yet: the call failed as a whole, and the server answers with the failure.
        steps.closeFailed(account, error);
        throw error instanceof Failure ? nameDeployment(error, target.id) : error;
      }
    },
  };
  return operation;
};

/** The same failure with the deployment that was chosen, which the answer names. */
function nameDeployment(failure: Failure, modelId: string): Failure {
  const { facts } = failure;
  return new Failure(failure.code, failure.message, { ...facts, detail: { ...facts.detail, modelId }, cause: failure });
}
