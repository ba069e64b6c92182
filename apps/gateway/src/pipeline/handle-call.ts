import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import type { CallAccount } from "../accounting/call-account.ts";
import type { Call } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import type { Exchange } from "../call/exchange.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import type { UpstreamAnswer } from "../call/upstream-answer.ts";
import { endFailed } from "./end-failed.ts";
import { reportCharge } from "./relay-answer.ts";
import type { CallSteps } from "./steps.ts";

/**
 * Handles one inference call. A step throws a Failure to end the call. `steps.ts` binds the steps to their dependencies,
 * and each step has a file in this folder, in this order:
 *
 * 1. `authenticate.ts` finds the caller of a key and checks that the caller may use the operation.
 * 2. `read-call.ts` reads the body, validates it, and finds the model.
 * 3. `answer-early.ts` answers a repeated request, or one whose response is cached, without a model.
 * 4. `choose-target.ts` chooses a deployment of the model.
 * 5. `open-account.ts` takes the hold and the rate limits.
 * 6. `call-upstream.ts` sends the request and waits for the response, and `open-stream.ts` for the first frame of a
 *    stream.
 * 7. `retry-or-fall-back.ts` tries other deployments and models after a failure.
 * 8. `relay-answer.ts` sends the response and closes the account. `relay-stream.ts` and `end-stream.ts` do so for a
 *    stream.
 * 9. `end-failed.ts` ends a call that was refused or failed.
 */
async function handleCall(
  steps: CallSteps,
  kind: OperationKind,
  description: OperationDescription,
  exchange: Exchange,
): Promise<void> {
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
    const read =
      kind.isForm === true || kind.hasConversation === true
        ? readExtended(steps, kind, description, exchange, caller)
        : readJson(steps, kind, description, exchange, caller);
    call = read instanceof Promise ? await read : read;
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
    if (account === null) steps.noteUnadmitted(exchange, caller, call, kind.name, error);
    const failure = await endFailed(call, account, error);
    reportCharge(exchange, account, error);
    throw failure;
  } finally {
    if (hasEntered && caller !== null) steps.leave(exchange, caller);
  }
}

/** Creates an inference operation, which runs the steps of a call in order. */
export function inferenceOperation(steps: CallSteps, kind: OperationKind, description: OperationDescription) {
  return {
    ...description,
    ...(kind.words !== undefined && { words: kind.words }),
    handle: (exchange: Exchange): Promise<void> => handleCall(steps, kind, description, exchange),
  };
}

/** Reads a call with a JSON body. Returns immediately if the body has arrived, as it nearly always has. */
function readJson(
  steps: CallSteps,
  kind: OperationKind,
  description: OperationDescription,
  exchange: Exchange,
  caller: Caller,
): Call | Promise<Call> {
  const body = steps.readBody(exchange, description);
  return body instanceof Promise
    ? body.then((bytes) => steps.readCall(exchange, caller, kind, bytes))
    : steps.readCall(exchange, caller, kind, body);
}

/** Reads a call that has more than a JSON body: a form, or a conversation that the call belongs to. */
async function readExtended(
  steps: CallSteps,
  kind: OperationKind,
  description: OperationDescription,
  exchange: Exchange,
  caller: Caller,
): Promise<Call> {
  if (kind.isForm === true) {
    const { bytes, file } = await steps.readForm(exchange, kind);
    return steps.readCall(exchange, caller, kind, bytes, file);
  }
  const sent = await steps.readBody(exchange, description);
  const { bytes, conversation } = await steps.recall(exchange, caller, description, sent);
  return steps.readCall(exchange, caller, kind, bytes, null, conversation);
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
