import { type IncomingMessage, request } from "node:http";
import { writePrompt } from "../upstream/instructions.ts";
import { type CallLog, type CallPlan, openLog } from "./call-log.ts";
import { generatorLagMs } from "./generator-lag.ts";

const CALL_LIMIT_MS = 60_000;
/** A request is not sent if this process couldn't write it within this time after starting to connect. */
const SEND_LIMIT_MS = 2_000;

/**
 * Makes one call on its own connection and resolves with its log, even if the call fails. Never retries, so that each
 * nonce is sent once.
 */
export function makeCall(url: string, plan: CallPlan): Promise<CallLog> {
  const log = openLog(plan);
  const startedAtMs = performance.now();
  const lagBeforeMs = generatorLagMs();
  return new Promise((resolve) => {
    const end = (trouble: string | null) => {
      if (log.endedAtMs !== 0) return;
      log.endedAtMs = Date.now();
      log.trouble = trouble;
      clearTimeout(timer);
      resolve(log);
    };
    const body = Buffer.from(writeBody(plan));
    const outgoing = request(`${url}/v1/chat/completions`, {
      method: "POST",
      agent: false,
      headers: {
        "x-gw-api-key": plan.tenant.apiKey,
        "x-gw-call-id": plan.nonce,
        "content-type": "application/json",
        "content-length": body.length,
      },
    });
    const hangUp = (trouble: string) => {
      end(trouble);
      outgoing.destroy();
    };
    // First read the data that has already arrived, because this process may be late.
    const timer = setTimeout(() => setImmediate(() => hangUp("no end within a minute")), CALL_LIMIT_MS);
    outgoing.once("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    outgoing.once("response", (answer) => readAnswer(answer, log, end, hangUp));
    const send = () => {
      if (isTooLate(performance.now() - startedAtMs, generatorLagMs() - lagBeforeMs)) {
        log.isUnsent = true;
        hangUp("the load generator was late");
      } else if (plan.hangUp?.at === "body") {
        outgoing.write(body.subarray(0, body.length >> 1), () => hangUp("left in the body"));
      } else {
        outgoing.end(body);
        if (plan.hangUp?.at === "answer") setTimeout(() => hangUp("left before the answer"), plan.hangUp.afterMs);
      }
    };
    // Wait for the connection before writing, so that a late call is either sent completely or not sent.
    outgoing.once("socket", (socket) => socket.once("connect", send));
  });
}

/**
 * Reports whether this process caused most of the delay. If the server delayed the connection instead, the call counts
 * as failed.
 */
const isTooLate = (elapsedMs: number, lagMs: number) => elapsedMs > SEND_LIMIT_MS && lagMs > elapsedMs / 2;

function readAnswer(
  answer: IncomingMessage,
  log: CallLog,
  end: (trouble: string | null) => void,
  hangUp: (trouble: string) => void,
): void {
  const { plan } = log;
  log.status = answer.statusCode ?? null;
  const cost = answer.headers["x-gw-response-cost-nano-usd"];
  if (typeof cost === "string") log.costSeen = BigInt(cost);
  const isStream = String(answer.headers["content-type"] ?? "").startsWith("text/event-stream");
  let text = "";
  answer.setEncoding("utf8");
  answer.on("data", (part: string) => {
    text += part;
    if (!isStream) return;
    text = readFrames(text, log);
    const { hangUp: where } = plan;
    if (where?.at === "chunk" && log.seenAtMs.length >= where.chunk) hangUp("left in the stream");
    else if (where?.at === "end" && log.isComplete) hangUp("left at the end");
  });
  answer.once("end", () => {
    if (!isStream) readWhole(text, log);
    end(log.isComplete ? null : (log.code ?? "ended too early"));
  });
  answer.once("close", () => end(log.isComplete ? null : "cut"));
  answer.once("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
}

/** Consumes whole frames from the text and returns the remainder. */
function readFrames(text: string, log: CallLog): string {
  const frames = text.split("\n\n");
  const rest = frames.pop() ?? "";
  for (const frame of frames) {
    if (frame === "data: [DONE]") log.isComplete = true;
    else if (frame.startsWith('data: {"error"')) log.code = codeOf(frame.slice("data: ".length));
    else if (frame.includes('"content":" ')) log.seenAtMs.push(Date.now());
  }
  return rest;
}

function readWhole(text: string, log: CallLog): void {
  if (log.status === 200 && text.endsWith("}")) {
    log.isComplete = true;
    log.seenAtMs.push(Date.now());
  } else {
    log.code = codeOf(text);
  }
}

function codeOf(text: string): string {
  try {
    return String((JSON.parse(text) as { error?: { code?: unknown } }).error?.code ?? "no code");
  } catch {
    return "not JSON";
  }
}

function writeBody(plan: CallPlan): string {
  const { nonce, chunks, gapMs, tokensPerChunk, delayMs } = plan;
  return JSON.stringify({
    model: plan.model,
    ...(plan.isStream && { stream: true }),
    max_tokens: plan.maxTokens,
    ...plan.fields,
    messages: [{ role: "user", content: writePrompt({ nonce, chunks, gapMs, tokensPerChunk, delayMs }) }],
  });
}
