import { Failure, invalidJson } from "@tollgate/contracts/failures.ts";
import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import { scanJsonBytes } from "@tollgate/domain/json-bytes.ts";
import type { GuardrailMode } from "@tollgate/runtime/settings/settings.ts";
import { type Call, type CallGuards, inStage, type StreamGuard } from "../call/call.ts";
import { type CallBody, readableRequest } from "../call/call-body.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import type { ReadAnswer } from "../call/provider.ts";
import type { Guard } from "./guard.ts";
import { GuardedStream } from "./guarded-stream.ts";
import { dropLogprobs, textsOfAnswer, textsOfRequest } from "./guarded-texts.ts";
import { streamWires } from "./stream-wires.ts";

/** Runs the guardrails for one call, each in its configured modes. */
export class ActiveGuards implements CallGuards {
  readonly names: readonly string[];
  readonly revisions: readonly string[];
  readonly #guards: readonly Guard[];
  /** Guards that run in parallel with the upstream call. The response waits for them. */
  #beside: Promise<void> | null = null;

  constructor(guards: readonly Guard[]) {
    this.#guards = guards;
    this.names = guards.map(({ name }) => name).sort();
    this.revisions = guards.map(({ revision }) => revision).sort();
  }

  checkRequest(call: Call): Promise<void> | null {
    const guards = this.#in("pre_call");
    return guards.length === 0 ? null : passRequest(call, guards);
  }

  beginBeside(call: Call): void {
    const guards = this.#in("during_call");
    if (guards.length === 0) return;
    this.#beside = lookBeside(call, guards);
    // The promise is awaited only when a response arrives. Without this handler, an earlier rejection would be
    // unhandled.
    this.#beside.catch(() => {});
  }

  get checksAnswers(): boolean {
    return this.#beside !== null || this.#in("post_call").length > 0;
  }

  async checkAnswer(call: Call, read: ReadAnswer): Promise<string> {
    if (this.#beside !== null) await this.#beside;
    const guards = this.#in("post_call");
    return guards.length === 0 ? read.text : passAnswer(call, read, guards, "post_call");
  }

  watchStream(call: Call): StreamGuard | null {
    const guards = this.#in("post_call");
    const wire = call.answerForm === "events" ? streamWires[call.operation] : undefined;
    const isWatched = wire !== undefined && guards.length > 0;
    const watched = isWatched ? new GuardedStream(wire, guards, { call, mode: "post_call", side: "response" }) : null;
    return this.#beside === null ? watched : new AwaitedStream(this.#beside, watched);
  }

  get cleansLog(): boolean {
    return this.#in("logging_only").length > 0;
  }

  async cleanForLog(call: Call, request: string, answer: string): Promise<{ request: string; answer: string } | null> {
    const guards = this.#in("logging_only");
    try {
      const texts = [request, answer].map(toCharacters);
      const subject = { call, mode: "logging_only", side: "response" } as const;
      const passed = await passTexts(guards, texts, subject);
      const [cleanRequest = "", cleanAnswer = ""] = passed.map(toBytes);
      return { request: cleanRequest, answer: cleanAnswer };
    } catch (error) {
      // Refused text is not stored. The client has already received the response.
      if (error instanceof Failure) return null;
      throw error;
    }
  }

  #in(mode: GuardrailMode): readonly Guard[] {
    return this.#guards.filter((guard) => guard.runsIn(mode));
  }
}

/** Delays the first frame of a stream until the guards that run in parallel with the call have finished. */
class AwaitedStream implements StreamGuard {
  readonly #beside: Promise<void>;
  readonly #stream: StreamGuard | null;

  constructor(beside: Promise<void>, stream: StreamGuard | null) {
    this.#beside = beside;
    this.#stream = stream;
  }

  async push(frames: string): Promise<string> {
    await this.#beside;
    return this.#stream === null ? frames : this.#stream.push(frames);
  }

  async end(frames: string): Promise<string> {
    await this.#beside;
    return this.#stream === null ? frames : this.#stream.end(frames);
  }
}

/** Checks every body that the call may send, because each fallback can have a different body. */
async function passRequest(call: Call, guards: readonly Guard[]): Promise<void> {
  const passed = new Map<CallBody, CallBody>();
  for (const body of new Set([call.body, ...(call.fallbackBodies?.values() ?? [])])) {
    passed.set(body, await passBody(call, body, guards));
  }
  const own = passed.get(call.body) ?? call.body;
  if (own !== call.body) call.useBody(own);
  if (call.fallbackBodies === null) return;
  inStage(call, "checked").fallbackBodies = new Map(
    [...call.fallbackBodies].map(([name, body]) => [name, passed.get(body) ?? body]),
  );
}

async function passBody(call: Call, body: CallBody, guards: readonly Guard[]): Promise<CallBody> {
  const request = readableRequest(body);
  const slots = textsOfRequest(call.kind, request);
  const passed = await passTexts(guards, slots.texts, { call, mode: "pre_call", side: "request" });
  if (passed === slots.texts) return body;
  slots.replace(passed);
  return withRequest(body, request, call.kind);
}

async function lookBeside(call: Call, guards: readonly Guard[]): Promise<void> {
  const { texts } = textsOfRequest(call.kind, readableRequest(call.body));
  const subject = { call, mode: "during_call", side: "request" } as const;
  await Promise.all(guards.map((guard) => guard.look(texts, subject)));
}

async function passAnswer(
  call: Call,
  { text, contentType = "application/json" }: ReadAnswer,
  guards: readonly Guard[],
  mode: GuardrailMode,
): Promise<string> {
  const subject = { call, mode, side: "response" } as const;
  const characters = toCharacters(text);
  if (!contentType.startsWith("application/json")) {
    if (!contentType.startsWith("text/")) return text;
    const [passed = ""] = await passTexts(guards, [characters], subject);
    return toBytes(passed);
  }
  const answer = JSON.parse(characters) as object;
  const slots = textsOfAnswer(call.operation, answer);
  if (slots === null) return text;
  const passed = await passTexts(guards, slots.texts, subject);
  if (passed === slots.texts) return text;
  slots.replace(passed);
  dropLogprobs(answer);
  return toBytes(JSON.stringify(answer));
}

/** Returns the output of the last guard, or the same array if no guard changed a string. */
async function passTexts(
  guards: readonly Guard[],
  texts: readonly string[],
  subject: Parameters<Guard["look"]>[1],
): Promise<readonly string[]> {
  let passed = texts;
  if (texts.length > 0) for (const guard of guards) passed = await guard.look(passed, subject);
  return passed;
}

/** Returns the body with its request replaced. */
function withRequest(body: CallBody, request: InferenceRequest, { textsIn }: OperationKind): CallBody {
  const bytes = Buffer.from(JSON.stringify(request), "utf8");
  const scan = scanJsonBytes(bytes, textsIn ?? null);
  if (scan.kind === "refused") throw invalidJson(scan.reason);
  return { ...body, bytes, members: scan.members, request: JSON.parse(scan.text) as InferenceRequest };
}

function toCharacters(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function toBytes(characters: string): string {
  return Buffer.from(characters, "utf8").toString("latin1");
}
