/** A request, the provider's scripted response, and what the response costs. */
export interface PriceCase {
  readonly provider: string;
  /** The condition or the tool that the case covers. */
  readonly condition: string;
  /** `<provider>/<model>`. */
  readonly model: string;
  /** Settings of the deployment, apart from its URL. Prices are in USD. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Metadata of the deployment. */
  readonly info?: Readonly<Record<string, unknown>>;
  readonly path: "/v1/chat/completions" | "/v1/images/generations" | "/v1/messages" | "/v1/responses";
  readonly request: Readonly<Record<string, unknown>>;
  /** The response, or the frames of a streamed response. */
  readonly response: object | readonly string[];
  /** The provider's charge at the configured prices, or at those of the catalog. */
  readonly nanoUsd: bigint;
  /** The model group that the request names, if it is a pattern of model names, such as `openai/*`. */
  readonly pattern?: { readonly group: string; readonly model: string };
}

/** A request that must be refused, because no price is configured. */
export interface RefusalCase {
  readonly provider: string;
  readonly tool: string;
  readonly model: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Metadata of the deployment. */
  readonly info?: Readonly<Record<string, unknown>>;
  readonly path: PriceCase["path"];
  readonly request: Readonly<Record<string, unknown>>;
  /** The setting that the error must name, or the field if no setting allows the request. */
  readonly setting: string;
}

/** One USD per million tokens in, and ten out, for cases that only differ in what they add. */
export const tokens = { input_cost_per_token: 0.000001, output_cost_per_token: 0.00001 };

/** The cost of 1,000 tokens in and 100 out at these prices. */
export const TOKENS_NANO = 1_000_000n + 1_000_000n;

const SENTENCE = "The committee met on Tuesday to review the figures of the third quarter. ";
const CHARACTERS_PER_TOKEN = 4.4;

/** Returns English text with about this many tokens. Holds depend on the size of a request, so it must be realistic. */
export const textOf = (tokens: number): string =>
  SENTENCE.repeat(Math.ceil((tokens * CHARACTERS_PER_TOKEN) / SENTENCE.length));

/** Returns a question with this many tokens. */
export const questionOf = (tokens: number) => ({
  messages: [{ role: "user", content: textOf(tokens) }],
  max_tokens: 200,
});

export const question = questionOf(1_000);

/** A chat completion with 1,000 tokens in and 100 out. */
export const chatAnswer = (model: string, more: object = {}, usage: object = {}): object => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_763_000_000,
  model,
  choices: [{ index: 0, message: { role: "assistant", content: "Not much." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100, ...usage },
  ...more,
});

/** A message with 1,000 tokens in and 100 out. */
export const messageAnswer = (model: string, usage: object = {}, content: readonly object[] = []): object => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model,
  content: [...content, { type: "text", text: "Not much." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 1_000, output_tokens: 100, ...usage },
});

/** A response with 1,000 tokens in and 100 out. */
export const responseAnswer = (model: string, output: readonly object[] = [], more: object = {}): object => ({
  id: "resp_1",
  object: "response",
  created_at: 1_763_000_000,
  status: "completed",
  model,
  output: [
    ...output,
    {
      type: "message",
      id: "msg_1",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: "Not much.", annotations: [] }],
    },
  ],
  usage: { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 },
  ...more,
});

/** A Gemini response with 1,000 tokens in and 100 out. */
export const geminiAnswer = (model: string, candidate: object = {}, usage: object = {}): object => ({
  candidates: [
    { index: 0, content: { role: "model", parts: [{ text: "Not much." }] }, finishReason: "STOP", ...candidate },
  ],
  usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 100, totalTokenCount: 1_100, ...usage },
  modelVersion: model,
  responseId: "r1",
});

/** Formats events as frames of a stream. */
export const frames = (events: readonly object[], isNamed = false): readonly string[] =>
  events.map((event) => {
    const name = isNamed ? `event: ${(event as { readonly type: string }).type}\n` : "";
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
