import { type IncomingMessage, request } from "node:http";

export type Surface = "chat" | "messages" | "responses";

/** Point at which a client disconnects on purpose. */
export type Cut =
  /** The client disconnects when an event that the case chooses occurs, such as the upstream receiving the request. */
  | { readonly at: "event"; readonly event: Promise<unknown> }
  | { readonly at: "headers" }
  /** The client disconnects after it has received this many frames. */
  | { readonly at: "frame"; readonly count: number }
  /** The client disconnects after it has received this many words of text. */
  | { readonly at: "word"; readonly count: number };

export interface CallOptions {
  readonly url: string;
  readonly apiKey: string;
  /** Identifies the call in the usage rows. */
  readonly callId: string;
  readonly surface: Surface;
  readonly model: string;
  readonly prompt: string;
  readonly isStream: boolean;
  readonly maxTokens: number | null;
  /** Additional request fields, and additional headers. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cut: Cut | null;
}

/** A call as its client saw it. */
export interface CallLog {
  status: number | null;
  code: string | null;
  frames: number;
  words: number;
  /** True if the whole response arrived. */
  isComplete: boolean;
  text: string;
  elapsedMs: number;
}

const PATHS: Readonly<Record<Surface, string>> = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
};
const LIMIT_MS = 60_000;
const KEPT_CHARACTERS = 64 * 1024;
const WORD = / (?:one|two|three|four|five|six|seven|eight)\b/g;
/** Types of frames that repeat the whole text, which the client must not count again. */
const REPEATS = /"type":"response\.(?:output_text\.done|content_part\.done|output_item\.done|completed)"/;

/** Makes one call on its own connection, without retries, and disconnects at the given point. */
export function sendCall(options: CallOptions): Promise<CallLog> {
  const startedAtMs = performance.now();
  const log: CallLog = { status: null, code: null, frames: 0, words: 0, isComplete: false, text: "", elapsedMs: 0 };
  return new Promise((resolve) => {
    const body = JSON.stringify(writeBody(options));
    const outgoing = request(options.url + PATHS[options.surface], {
      method: "POST",
      agent: false,
      headers: {
        "x-gw-api-key": options.apiKey,
        "x-gw-call-id": options.callId,
        "content-type": "application/json",
        ...options.headers,
      },
    });
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      log.elapsedMs = performance.now() - startedAtMs;
      resolve(log);
    };
    const leave = () => {
      end();
      outgoing.destroy();
    };
    const timer = setTimeout(leave, LIMIT_MS);
    outgoing.once("error", end);
    outgoing.once("response", (answer) => readAnswer(answer, options.cut, log, end, leave));
    if (options.cut?.at === "event") void options.cut.event.then(leave);
    outgoing.end(body);
  });
}

function readAnswer(answer: IncomingMessage, cut: Cut | null, log: CallLog, end: () => void, leave: () => void): void {
  log.status = answer.statusCode ?? null;
  if (cut?.at === "headers") return leave();
  const isStream = String(answer.headers["content-type"] ?? "").startsWith("text/event-stream");
  let carry = "";
  answer.setEncoding("utf8");
  answer.on("data", (part: string) => {
    if (log.text.length < KEPT_CHARACTERS) log.text += part;
    if (!isStream) return;
    const frames = (carry + part).split("\n\n");
    carry = frames.pop() ?? "";
    for (const frame of frames) {
      readFrame(frame, log);
      const isDue = (cut?.at === "frame" && log.frames >= cut.count) || (cut?.at === "word" && log.words >= cut.count);
      if (isDue) return leave();
    }
  });
  answer.once("end", () => {
    if (!isStream) readWhole(log);
    end();
  });
  answer.once("close", end);
  answer.once("error", end);
}

function readFrame(frame: string, log: CallLog): void {
  if (frame.startsWith(":")) return;
  log.frames += 1;
  if (!REPEATS.test(frame)) log.words += frame.match(WORD)?.length ?? 0;
  const isLast = frame === "data: [DONE]" || /"type":"(?:message_stop|response\.completed)"/.test(frame);
  if (isLast) log.isComplete = true;
  const data = frame.slice(frame.indexOf("data: ") + "data: ".length);
  if (data.includes('"error"') && log.code === null) log.code = codeOf(data);
}

function readWhole(log: CallLog): void {
  if (log.status === 200) log.isComplete = log.text.trimEnd().endsWith("}");
  else log.code = codeOf(log.text);
}

/** Returns the error code from an error body of any API surface. */
function codeOf(text: string): string | null {
  try {
    const { error, response } = JSON.parse(text) as {
      error?: { code?: unknown; type?: unknown } | null;
      response?: { error?: { code?: unknown } | null };
    };
    const code = error?.code ?? response?.error?.code ?? error?.type ?? null;
    return code === null ? null : String(code);
  } catch {
    return null;
  }
}

function writeBody({ surface, model, prompt, isStream, maxTokens, fields }: CallOptions): object {
  const limit = surface === "responses" ? "max_output_tokens" : "max_tokens";
  return {
    model,
    ...(surface === "responses" ? { input: prompt, store: false } : { messages: [{ role: "user", content: prompt }] }),
    ...(isStream && { stream: true }),
    ...(maxTokens !== null && { [limit]: maxTokens }),
    ...fields,
  };
}
