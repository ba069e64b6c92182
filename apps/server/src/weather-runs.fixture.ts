import { chatAnswer, chatFrames, DONE_FRAME, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { type Behavior, reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";

/** Final reply, which uses the results of both functions. */
export const ANSWER = "It is sunny and rainy.";

export interface BegunRun {
  readonly runId: string;
  readonly threadId: string;
  readonly question: string;
  readonly isStreamed: boolean;
}

interface RunAnswer {
  readonly id: string;
  readonly status: string;
  readonly usage: object | null;
  readonly required_action: {
    readonly submit_tool_outputs: { readonly tool_calls: readonly { readonly id: string }[] };
  } | null;
}

interface List<Item> {
  readonly data: readonly Item[];
}

interface MessageAnswer {
  readonly role: string;
  readonly status: string;
  readonly content: readonly { readonly text: { readonly value: string } }[];
}

const tool = { type: "function", function: { name: "get_weather", parameters: { type: "object" } } };
/** Delay that is long enough to report deltas before the response is complete. */
const PACE = { delayMs: 50 };
const ENDS = new Set(["completed", "failed", "incomplete", "expired", "cancelled"]);

/** Uses HTTP to create runs that call two functions and combine their results. */
export class WeatherClient {
  readonly #url: string;
  readonly #apiKey: string;
  #assistantId = "";

  /** Creates a client and an assistant that uses the model `metered`. */
  static async create(url: string, apiKey: string): Promise<WeatherClient> {
    const client = new WeatherClient(url, apiKey);
    const { id } = await client.#ask<{ id: string }>("/assistants", { model: "metered", tools: [tool] });
    client.#assistantId = id;
    return client;
  }

  private constructor(url: string, apiKey: string) {
    this.#url = url;
    this.#apiKey = apiKey;
  }

  /** Creates a run in a new thread. If the run is streamed, the client disconnects immediately. */
  async begin(topic: string, isStreamed: boolean): Promise<BegunRun> {
    const question = `How is the weather (${topic})?`;
    const messages = [{ role: "user", content: question }];
    const { id: threadId } = await this.#ask<{ id: string }>("/threads", { messages });
    const response = await this.#send(`/threads/${threadId}/runs`, {
      assistant_id: this.#assistantId,
      stream: isStreamed,
    });
    await response.body?.cancel();
    const runId = (await this.#ask<List<RunAnswer>>(`/threads/${threadId}/runs`)).data[0]?.id ?? "";
    return { runId, threadId, question, isStreamed };
  }

  read({ threadId, runId }: BegunRun): Promise<RunAnswer> {
    return this.#ask<RunAnswer>(`/threads/${threadId}/runs/${runId}`);
  }

  /** Submits tool outputs if the run requires them. Returns the run as it was before the submission. */
  async attend(run: BegunRun): Promise<RunAnswer> {
    const current = await this.read(run);
    if (current.status === "requires_action") await this.#submit(run, current);
    return current;
  }

  /** Submits tool outputs whenever the run requires them, until the run has finished. */
  finish(run: BegunRun, limit: { limitMs: number }): Promise<RunAnswer> {
    const isOver = async () => {
      const current = await this.attend(run);
      return ENDS.has(current.status) && current;
    };
    return waitFor("the end of the run", isOver, limit);
  }

  /** Returns the thread's messages and the run's steps, oldest first. */
  async readThread({ threadId, runId }: BegunRun) {
    const messages = await this.#ask<List<MessageAnswer>>(`/threads/${threadId}/messages?order=asc`);
    const path = `/threads/${threadId}/runs/${runId}/steps?order=asc`;
    const steps = await this.#ask<List<{ type: string; status: string }>>(path);
    return {
      messages: messages.data.map(({ role, status, content }) => [role, status, content[0]?.text.value]),
      steps: steps.data.map(({ type, status }) => [type, status]),
    };
  }

  async #submit({ threadId, runId, isStreamed }: BegunRun, { required_action: required }: RunAnswer): Promise<void> {
    const calls = required?.submit_tool_outputs.tool_calls ?? [];
    const tool_outputs = calls.map(({ id }, index) => ({ tool_call_id: id, output: ["sunny", "rainy"][index] }));
    const body = { tool_outputs, stream: isStreamed };
    await (await this.#send(`/threads/${threadId}/runs/${runId}/submit_tool_outputs`, body)).body?.cancel();
  }

  async #ask<Answer>(path: string, body?: object): Promise<Answer> {
    return (await (await this.#send(path, body)).json()) as Answer;
  }

  async #send(path: string, body?: object): Promise<Response> {
    const response = await fetch(`${this.#url}/v1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "x-gw-api-key": this.#apiKey, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  }
}

/** An upstream that calls two functions, then replies based on their results. Streams the response if requested. */
export const talkOfWeather: Behavior = (exchange) => {
  const { stream, messages } = exchange.request.json() as { stream?: boolean; messages: { role: string }[] };
  const isStreamed = stream === true;
  if (messages.at(-1)?.role !== "tool")
    return (isStreamed ? streamFrames(callFrames(), PACE) : reply(200, calls()))(exchange);
  const content = ANSWER;
  return (isStreamed ? streamFrames(chatFrames({ content }), PACE) : reply(200, chatAnswer({ content })))(exchange);
};

const toolCalls = ["call_one", "call_two"].map((id) => ({
  id,
  type: "function",
  function: { name: "get_weather", arguments: "{}" },
}));

function calls(): object {
  const message = { role: "assistant", content: null, tool_calls: toolCalls };
  return { ...chatAnswer(), choices: [{ index: 0, message, logprobs: null, finish_reason: "tool_calls" }] };
}

function callFrames(): readonly string[] {
  const { id, created, model, usage } = chatAnswer();
  const frame = (choices: readonly object[], reported: object | null) =>
    sseFrame({ id, created, model, object: "chat.completion.chunk", choices, usage: reported });
  const indexed = toolCalls.map((call, index) => ({ index, ...call }));
  const delta = { role: "assistant", content: null, tool_calls: indexed };
  return [
    frame([{ index: 0, delta, finish_reason: null }], null),
    frame([{ index: 0, delta: {}, finish_reason: "tool_calls" }], null),
    frame([], usage),
    DONE_FRAME,
  ];
}
