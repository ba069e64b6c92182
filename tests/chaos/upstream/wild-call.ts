import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type ChatRequest, type Instructions, type Remember, textOf } from "./instructions.ts";

const DRIP_MS = 100;
/** Few long frames, because thousands of short ones per second would keep the machine busy and the cell slow. */
const TOKENS_PER_LONG_FRAME = 100;
const TEN_MEGABYTES = 10 * 1024 * 1024;
const NOTHING = { delivered: 0, isComplete: false, reported: null };

/** One call with a faulty response. */
export class WildCall {
  readonly #body: ChatRequest;
  readonly #instructions: Instructions;
  readonly #response: ServerResponse;
  readonly #remember: Remember;
  #delivered = 0;
  #isOver = false;

  constructor(body: ChatRequest, instructions: Instructions, response: ServerResponse, remember: Remember) {
    this.#body = body;
    this.#instructions = instructions;
    this.#response = response;
    this.#remember = remember;
  }

  refuse(mood: "fails" | "limits"): void {
    const [status, headers] = mood === "fails" ? ([503, {}] as const) : ([429, { "retry-after": "1" }] as const);
    this.#response.writeHead(status, { "content-type": "application/json", ...headers });
    this.#response.end('{"error":{"message":"Not now.","type":"server_error","code":null}}');
    this.#remember(NOTHING);
  }

  hang(): void {
    this.#endAs(NOTHING);
  }

  /**
   * Streams half of the response and leaves the stream open. If the call isn't a stream, sends the start of the body.
   */
  async sayHalf(): Promise<void> {
    this.#response.once("close", () =>
      this.#end({ delivered: this.#body.stream === true ? this.#delivered : 0, isComplete: false, reported: null }),
    );
    this.#begin();
    if (this.#body.stream !== true) return this.#write('{"id":"');
    await this.#say(this.#instructions.chunks >> 1);
  }

  async drip(): Promise<void> {
    await this.sayHalf();
    while (!this.#isOver) {
      await this.#write(this.#body.stream === true ? ":" : " ");
      await pause(DRIP_MS);
    }
  }

  /** Streams endlessly. Output beyond the requested maximum must not be charged. */
  async ramble(): Promise<void> {
    const limit = this.#body.max_tokens ?? this.#body.max_completion_tokens ?? 0;
    const paid = { delivered: limit, isComplete: true, reported: null };
    if (this.#body.stream !== true) {
      const usage = { prompt_tokens: 12, completion_tokens: limit * 10, total_tokens: 12 + limit * 10 };
      this.#answerWhole(textOf(limit * 10), usage);
      return this.#end(paid);
    }
    this.#endAs(paid);
    this.#begin();
    const { gapMs } = this.#instructions;
    while (!this.#isOver) {
      await this.#sayWords(TOKENS_PER_LONG_FRAME);
      await pause(gapMs);
    }
  }

  async garble(way: number): Promise<void> {
    if (this.#body.stream !== true) return this.#garbleWhole(way);
    const { chunks } = this.#instructions;
    this.#begin();
    await this.#say(chunks >> 1);
    // Variants 0 and 1 produce a stream that cannot be read to the end.
    if (way === 0) return this.#breakOff('data: {"id":"half');
    if (way === 1) return this.#breakOff(`data: ${"x".repeat(TEN_MEGABYTES)}`);
    if (way === 2) await this.#write(": a comment\r\n\r\nretry: 5\r\n\r\n");
    await this.#say(chunks - (chunks >> 1), way === 3);
    await this.#frame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    if (way === 4) await this.#frame({ choices: [], usage: { prompt_tokens: 1e9, completion_tokens: 1e9 } });
    if (way === 5) await this.#frame({ choices: [], usage: { prompt_tokens: -1, completion_tokens: "many" } });
    // Variant 6 omits the final marker.
    this.#response.end(way === 6 ? "" : "data: [DONE]\n\n");
    this.#end({ delivered: this.#delivered, isComplete: true, reported: null });
  }

  #garbleWhole(way: number): void {
    const tokens = this.#instructions.chunks * this.#instructions.tokensPerChunk;
    if (way >= 4) {
      this.#answerWhole(textOf(tokens), { prompt_tokens: way === 4 ? 1e9 : -1, completion_tokens: 1e9 });
      return this.#end({ delivered: tokens, isComplete: true, reported: null });
    }
    this.#begin();
    this.#response.end(way === 0 ? "" : '{"id":"half');
    this.#end(NOTHING);
  }

  #answerWhole(content: string, usage: object): void {
    const { nonce } = this.#instructions;
    const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
    this.#begin();
    this.#response.end(
      JSON.stringify({ id: nonce, object: "chat.completion", created: 0, model: this.#body.model, choices, usage }),
    );
  }

  #begin(): void {
    const isStream = this.#body.stream === true;
    this.#response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
  }

  async #say(chunks: number, isSplit = false): Promise<void> {
    const { tokensPerChunk, gapMs } = this.#instructions;
    for (let chunk = 0; chunk < chunks && !this.#isOver; chunk += 1) {
      if (gapMs > 0) await pause(gapMs);
      await this.#sayWords(tokensPerChunk, isSplit);
    }
  }

  async #sayWords(tokens: number, isSplit = false): Promise<void> {
    this.#delivered += tokens;
    const delta = { role: "assistant", content: textOf(tokens) };
    await this.#frame({ choices: [{ index: 0, delta, finish_reason: null }] }, isSplit);
  }

  async #frame(more: object, isSplit = false): Promise<void> {
    const base = { id: this.#instructions.nonce, object: "chat.completion.chunk", created: 0, model: this.#body.model };
    const text = `data: ${JSON.stringify({ ...base, ...more })}\n\n`;
    const middle = text.length >> 1;
    if (!isSplit) return this.#write(text);
    await this.#write(text.slice(0, middle));
    await pause(1);
    await this.#write(text.slice(middle));
  }

  #breakOff(last: string): void {
    this.#response.once("close", () => this.#end({ delivered: this.#delivered, isComplete: false, reported: null }));
    this.#response.end(last);
  }

  /** Records the outcome when the gateway disconnects. */
  #endAs(facts: Parameters<Remember>[0]): void {
    this.#response.once("close", () => this.#end(facts));
    if (this.#response.destroyed) this.#end(facts);
  }

  #write(text: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isOver || this.#response.destroyed) return resolve();
      this.#response.write(text, () => resolve());
    });
  }

  #end(facts: Parameters<Remember>[0]): void {
    if (!this.#isOver) this.#remember(facts);
    this.#isOver = true;
  }
}
