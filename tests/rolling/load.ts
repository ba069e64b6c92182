import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { MODELS, PRICES } from "./stage/instance.ts";

/** Result of a call, as its client saw it. */
export interface CallResult {
  /** Label of the call in the usage rows. */
  readonly label: string;
  readonly kind: CallKind;
  /** Null if the response was complete. */
  readonly failure: string | null;
  /** True if a stream started but did not finish. */
  readonly isCut: boolean;
  /** Cost in nano-USD, based on the reported usage; null if the response reported no usage. */
  readonly cost: bigint | null;
}

export type CallKind = "plain" | "stream" | "rerank";

export interface LoadOptions {
  readonly url: string;
  readonly apiKey: string;
  /** Number of clients, each of which makes one call at a time. Half of the clients reuse their connections. */
  readonly clients: number;
  /** Kinds of calls that the clients make, in turn. */
  readonly kinds: readonly CallKind[];
}

const CALL_LIMIT_MS = 60_000;
const SHORT_REST_MS = 30;

/** Makes calls until stopped, without retries. */
export class Load {
  readonly results: CallResult[] = [];
  readonly #options: LoadOptions;
  readonly #running: Promise<void>;
  #isStopping = false;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#running = Promise.all(Array.from({ length: options.clients }, (_, index) => this.#client(index))).then(
      () => {},
    );
  }

  /** Stops after the calls in progress have finished. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #client(index: number): Promise<void> {
    const keeps = index % 2 === 0;
    const agent = keeps ? new Agent({ keepAlive: true, maxSockets: 1 }) : new Agent({ keepAlive: false });
    for (let round = index; !this.#isStopping; round += 1) {
      const kind = this.#options.kinds[round % this.#options.kinds.length] as CallKind;
      this.results.push(await makeCall(this.#options, agent, kind));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * SHORT_REST_MS));
    }
    agent.destroy();
  }
}

async function makeCall({ url, apiKey }: LoadOptions, agent: Agent, kind: CallKind): Promise<CallResult> {
  const label = `rolling-${randomBytes(12).toString("hex")}`;
  const [path, body] = questionOf(kind);
  try {
    const { status, text } = await post(`${url}${path}`, agent, { apiKey, label, body: JSON.stringify(body) });
    if (status !== 200) return { label, kind, failure: `${status} ${text.slice(0, 300)}`, isCut: false, cost: null };
    if (kind !== "stream") return { label, kind, failure: null, isCut: false, cost: costOf(JSON.parse(text)) };
    const frames = text.split("\n\n").filter((frame) => frame.startsWith("data: "));
    const isWhole = frames.at(-1) === "data: [DONE]";
    const last = JSON.parse((frames.at(isWhole ? -2 : -1) ?? "data: {}").slice("data: ".length));
    if (!isWhole) return { label, kind, failure: `cut: ${JSON.stringify(last)}`, isCut: true, cost: null };
    return { label, kind, failure: null, isCut: false, cost: costOf(last) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { label, kind, failure: `${code ?? ""} ${message}`, isCut: message === "cut", cost: null };
  }
}

function questionOf(kind: CallKind): readonly [string, object] {
  if (kind === "rerank") {
    const documents = Array.from({ length: 3 }, (_, index) => `document ${index}`);
    return ["/v1/rerank", { model: MODELS.rerank, query: "which", documents }];
  }
  const messages = [{ role: "user", content: "a few words that cost something" }];
  const streamed = { stream: true, stream_options: { include_usage: true } };
  return ["/v1/chat/completions", { model: MODELS.chat, messages, ...(kind === "stream" && streamed) }];
}

interface Answer {
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
  readonly meta?: { readonly billed_units?: { readonly search_units?: number } };
}

function costOf({ usage, meta }: Answer): bigint | null {
  const searches = meta?.billed_units?.search_units;
  if (searches !== undefined) return BigInt(searches) * PRICES.search;
  if (usage == null) return null;
  return BigInt(usage.prompt_tokens) * PRICES.input + BigInt(usage.completion_tokens) * PRICES.output;
}

interface Question {
  readonly apiKey: string;
  readonly label: string;
  readonly body: string;
}

function post(url: string, agent: Agent, { apiKey, label, body }: Question): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "x-gw-api-key": apiKey, "x-gw-call-id": label };
    const asking = request(url, { method: "POST", agent, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on("error", () => reject(new Error("cut")));
    });
    asking.setTimeout(CALL_LIMIT_MS, () => asking.destroy(new Error("no answer in time")));
    asking.on("error", reject);
    asking.end(body);
  });
}
