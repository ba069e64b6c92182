import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import type { Provider, TargetSettings } from "../call/provider.ts";
import { makeChatCall } from "../pipeline/chat-call.fixture.ts";
import { type ChatBody, type LibraryModel, type LibraryOptions, toLibraryOptions } from "./library-options.fixture.ts";

/**
 * An upstream's response, as an object or as the text of a stream. `bytes` contains the bytes of a stream that isn't
 * text.
 */
export type Recorded = { readonly json: unknown } | { readonly events: string; readonly bytes?: Buffer };

/**
 * One implementation's view of a call: the request that it sends to the upstream, and the content that it reads from
 * the response.
 */
interface Opinion {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly answer: DecodedAnswer;
}

export interface DecodedAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly finish: string;
  /** Counters that don't overlap, except that `output` includes `reasoning`. */
  readonly usage: {
    readonly input: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly output: number;
    readonly reasoning: number;
  };
}

export const SOME_KEY = "key-of-a-provider";

/** Returns the request that the gateway sends for a chat body, and the content that it reads from the response. */
export function askGateway(
  provider: Provider,
  settings: Partial<TargetSettings> & { readonly upstreamModel: string },
  body: ChatBody,
  recorded: Recorded,
): Opinion {
  const translation = provider.translations["chat.completions"];
  if (translation === undefined) throw new Error(`${provider.name} has no chat`);
  const target = { apiKey: new Secret(SOME_KEY), apiVersion: null, options: {}, ...settings };
  const call = makeChatCall({ text: JSON.stringify({ model: "group", ...body }) });
  const request = translation.buildRequest(call, { ...target, prepared: provider.prepare(target) }, call.body.dropped);
  if (typeof request.body === "function") throw new Error("a chat request is never read from a file");
  const sent: Omit<Opinion, "answer"> = {
    url: `${(settings.apiBase ?? provider.defaultApiBase ?? "").replace(/\/+$/, "")}${request.path}`,
    headers: pairs(request.headers),
    body: JSON.parse(request.body.toString("utf8")),
  };
  if ("json" in recorded) {
    const { text, usage } = translation.readAnswer(call, latin1(JSON.stringify(recorded.json)), {});
    return { ...sent, answer: decodeChat([JSON.parse(utf8(text))], usage) };
  }
  const reader = translation.readStream(call);
  const relayed = utf8(reader.push(latin1(recorded.events)) + reader.end());
  if (reader.failure !== null) throw reader.failure;
  return { ...sent, answer: decodeChat(chunksOf(relayed), reader.usage) };
}

/** Returns the request that the library sends for a chat body, and the content that it reads from the response. */
export async function askLibrary(
  make: (fetch: typeof globalThis.fetch) => unknown,
  body: ChatBody,
  recorded: Recorded,
  more: Partial<LibraryOptions> = {},
): Promise<Opinion> {
  let sent: Omit<Opinion, "answer"> | null = null;
  const model = make((url, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers));
    sent = { url: String(url), headers, body: JSON.parse(String(init?.body)) };
    return Promise.resolve(replay(recorded));
  }) as LibraryModel;
  const options = { ...toLibraryOptions(body), ...more };
  const answer = "json" in recorded ? await readWhole(model, options) : await readParts(model, options);
  if (sent === null) throw new Error("the library sent nothing");
  return { ...(sent as Omit<Opinion, "answer">), answer };
}

/** Lists the differences between two values as `path: ours | theirs`, sorted. Undefined members count as absent. */
export function listDifferences(ours: unknown, theirs: unknown, path = ""): readonly string[] {
  if (isRecord(ours) && isRecord(theirs)) {
    const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
    return [...names].flatMap((name) => listDifferences(ours[name], theirs[name], join(path, name))).sort();
  }
  if (Array.isArray(ours) && Array.isArray(theirs) && ours.length === theirs.length) {
    return ours.flatMap((item, index) => listDifferences(item, theirs[index], `${path}[${index}]`)).sort();
  }
  const [one, other] = [JSON.stringify(ours), JSON.stringify(theirs)];
  return one === other ? [] : [`${path}: ${one ?? "absent"} | ${other ?? "absent"}`];
}

/** Writes chunks as the text of an event stream. */
export function eventStream(chunks: readonly unknown[], end = "data: [DONE]\n\n"): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") + end;
}

async function readWhole(model: LibraryModel, options: LibraryOptions): Promise<DecodedAnswer> {
  const { content, finishReason, usage } = await model.doGenerate(options);
  return decodeParts(content, finishReason.unified, usage);
}

async function readParts(model: LibraryModel, options: LibraryOptions): Promise<DecodedAnswer> {
  const { stream } = await model.doStream(options);
  const parts: LibraryPart[] = [];
  let finish: { unified: string } = { unified: "" };
  let usage: LibraryUsage | null = null;
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta") parts.push({ type: "text", text: part.delta });
    else if (part.type === "reasoning-delta") parts.push({ type: "reasoning", text: part.delta });
    else if (part.type === "tool-call") parts.push(part);
    else if (part.type === "finish") {
      finish = part.finishReason;
      usage = part.usage;
    }
  }
  if (usage === null) throw new Error("the library's stream did not finish");
  return decodeParts(parts, finish.unified, usage);
}

type LibraryUsage = Awaited<ReturnType<LibraryModel["doGenerate"]>>["usage"];
type LibraryPart = Pick<Awaited<ReturnType<LibraryModel["doGenerate"]>>["content"][number], "type"> &
  Record<string, unknown>;

function decodeParts(parts: readonly { type: string }[], finish: string, usage: LibraryUsage): DecodedAnswer {
  const textOf = (type: string): string =>
    parts
      .filter((part) => part.type === type)
      .map((part) => (part as unknown as { text: string }).text)
      .join("");
  const calls = parts.filter((part) => part.type === "tool-call") as unknown as {
    toolCallId: string;
    toolName: string;
    input: string;
  }[];
  return {
    text: textOf("text"),
    reasoning: textOf("reasoning"),
    toolCalls: calls.map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      name: toolName,
      input: JSON.parse(input),
    })),
    finish,
    usage: {
      input: usage.inputTokens.noCache ?? usage.inputTokens.total ?? 0,
      cacheRead: usage.inputTokens.cacheRead ?? 0,
      cacheWrite: usage.inputTokens.cacheWrite ?? 0,
      output: usage.outputTokens.total ?? 0,
      reasoning: usage.outputTokens.reasoning ?? 0,
    },
  };
}

interface ChatAnswer {
  readonly choices: readonly {
    readonly message?: ChatMessage;
    readonly delta?: ChatMessage;
    readonly finish_reason?: string | null;
  }[];
}

interface ChatMessage {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

/** Decodes the gateway's response: one object, or the merged chunks of a stream. */
function decodeChat(answers: readonly ChatAnswer[], usage: Usage | null): DecodedAnswer {
  const choices = answers.flatMap(({ choices: [first] }) => (first === undefined ? [] : [first]));
  const messages = choices.map(({ message, delta }) => message ?? delta ?? {});
  const calls = new Map<number, { id: string; name: string; input: string }>();
  for (const { tool_calls: pieces } of messages) {
    for (const [position, piece] of (pieces ?? []).entries()) {
      const index = piece.index ?? position;
      const known = calls.get(index) ?? { id: "", name: "", input: "" };
      calls.set(index, {
        id: known.id + (piece.id ?? ""),
        name: known.name + (piece.function?.name ?? ""),
        input: known.input + (piece.function?.arguments ?? ""),
      });
    }
  }
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage ?? NO_USAGE;
  return {
    text: messages.map(({ content }) => content ?? "").join(""),
    reasoning: messages.map((message) => message.reasoning_content ?? "").join(""),
    toolCalls: [...calls.values()].map((call) => ({ ...call, input: JSON.parse(call.input) })),
    finish: choices
      .map((choice) => choice.finish_reason ?? "")
      .join("")
      .replaceAll("_", "-"),
    usage: {
      input: inputTokens,
      cacheRead: cacheReadTokens,
      cacheWrite: cacheWriteTokens,
      output: outputTokens,
      reasoning: reasoningTokens,
    },
  };
}

function chunksOf(relayed: string): ChatAnswer[] {
  return relayed
    .split("\n")
    .filter((line) => line.startsWith("data:") && !line.includes("[DONE]"))
    .map((line) => JSON.parse(line.slice("data:".length)) as ChatAnswer);
}

function replay(recorded: Recorded): Response {
  if ("json" in recorded) return Response.json(recorded.json);
  const { events, bytes } = recorded;
  return new Response(bytes === undefined ? events : Uint8Array.from(bytes), {
    headers: { "content-type": "text/event-stream" },
  });
}

function pairs(headers: readonly string[]): Record<string, string> {
  const named: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2)
    named[headers[index] as string] = headers[index + 1] as string;
  return named;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
const latin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
const utf8 = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");
