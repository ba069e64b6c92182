import { setTimeout as pause } from "node:timers/promises";
import type { FakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import type { ReceivedRequest } from "@tollgate/testkit/received-request.ts";
import { type Behavior, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import type { FormFile, Observation, Question, UpstreamRequest } from "./question.ts";
import { isEventStream, readEvents } from "./read-events.ts";
import { steady } from "./steady.ts";

/** One of the two gateways, with its own scripted upstream. */
export interface Side {
  readonly baseUrl: string;
  readonly masterKey: string;
  readonly upstream: FakeUpstream;
  /** Converts our names that begin with `gw` to this gateway's names. */
  readonly rename: (text: string) => string;
  /** Values in this gateway's responses that later questions need, by name. */
  readonly kept: Map<string, string>;
}

const ANSWER_LIMIT_MS = 30_000;
const REPEAT_LIMIT_MS = 30_000;
const REPEAT_MS = 250;
const UNKNOWN_KEY = "sk-tg-000000000000000000000000000000000000000000000000";

/** Names of the headers that describe the call, in the response and in the upstream request. */
const receivedHeaders =
  /^(content-type|cache-control|retry-after.*|www-authenticate|allow|x-should-retry|x-gw-.*|llm_provider-.*|x-ratelimit-.*)$/;
const passing =
  /^x-gw-(response-duration-ms|overhead-duration-ms|call-id|version|key-spend|callback-duration-ms|timing-.*)$|^llm_provider-date$/;
const sentHeaders = [
  "authorization",
  "x-api-key",
  "x-goog-api-key",
  "anthropic-version",
  "anthropic-beta",
  "content-type",
];

/** Sends the request to one gateway. Returns the response and the upstream requests. */
export async function askSide(side: Side, question: Question): Promise<Observation> {
  side.upstream.behaves(
    onItsOwnConnection(question.upstream ?? reply(500, { error: { message: "No request expected." } })),
  );
  const first = side.upstream.requests.length;
  const { response, body } = await send(side, question);
  keep(side, question, body);
  const sent = question.ignoresUpstream ? [] : side.upstream.requests.slice(first);
  const upstream = await Promise.all(sent.map(describeRequest));
  const observation = { status: response.status, headers: describeHeaders(side, response.headers), body, upstream };
  return steady(observation, side) as Observation;
}

/** Sends the request, and repeats it while the condition of the question doesn't hold. */
async function send(side: Side, question: Question): Promise<{ readonly response: Response; readonly body: unknown }> {
  const end = performance.now() + REPEAT_LIMIT_MS;
  for (;;) {
    const response = await fetch(side.baseUrl + fill(side, question.path), {
      method: question.method,
      headers: headersOf(side, question),
      ...bodyOf(side, question),
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    const body = await readBody(response);
    if ((question.until?.(body) ?? true) || performance.now() > end) return { response, body };
    await pause(REPEAT_MS);
  }
}

/** Keeps the values that later questions need. */
function keep({ kept }: Side, { keeps = {} }: Question, body: unknown): void {
  for (const [name, pointer] of Object.entries(keeps)) {
    const found = pointer
      .split("/")
      .slice(1)
      .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], body);
    if (typeof found === "string") kept.set(name, found);
  }
}

/** Converts names to this gateway's names, and inserts kept values. */
function fill({ rename, kept }: Side, text: string): string {
  return rename(text).replaceAll(/\$([A-Z]+)\b/g, (written, name: string) => kept.get(name) ?? written);
}

/**
 * Disable keep-alive. The effect of a lost connection depends on whether the connection was reused, and that must not
 * be random.
 */
function onItsOwnConnection(behavior: Behavior): Behavior {
  return (exchange) => {
    exchange.response.shouldKeepAlive = false;
    return behavior(exchange);
  };
}

function headersOf(side: Side, { key, headers = {}, body, form }: Question): Record<string, string> {
  const secret = key === "unknown" ? UNKNOWN_KEY : key === undefined ? side.masterKey : fill(side, key);
  const carried = key === "none" ? {} : { authorization: `Bearer ${secret}` };
  const type = body === undefined || form ? {} : { "content-type": "application/json" };
  const named = Object.entries(headers).map(([name, value]) => [
    side.rename(name),
    value.replace("MASTER_KEY", side.masterKey),
  ]);
  return { ...carried, ...type, ...Object.fromEntries(named) };
}

function bodyOf(side: Side, { body, form }: Question): { body?: string | FormData } {
  if (form) return { body: writeForm(form) };
  if (body === undefined) return {};
  return { body: fill(side, typeof body === "string" ? body : JSON.stringify(body)) };
}

function writeForm(fields: Readonly<Record<string, string | FormFile>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, new Blob([Buffer.from(value.bytes)], { type: value.type }), value.name);
  }
  return form;
}

async function readBody(response: Response): Promise<unknown> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get("content-type") ?? "";
  if (isEventStream(type)) return readEvents(bytes.toString("utf8"));
  if (/^(audio|application\/octet-stream)/.test(type)) return { bytes: bytes.toString("base64") };
  return parsed(bytes.toString("utf8"));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function describeHeaders(side: Side, headers: Headers): Record<string, string> {
  const ours = side.rename("x-gw-");
  const named = [...headers].map(([name, value]) => [
    name.startsWith(ours) ? `x-gw-${name.slice(ours.length)}` : name,
    value,
  ]);
  return Object.fromEntries(named.filter(([name = ""]) => receivedHeaders.test(name) && !passing.test(name))) as Record<
    string,
    string
  >;
}

async function describeRequest(request: ReceivedRequest): Promise<UpstreamRequest> {
  const headers = sentHeaders.flatMap((name) => {
    const value = request.headers[name];
    return value === undefined ? [] : [[name, String(value).replace(/boundary=.*/, "boundary=…")]];
  });
  return {
    target: `${request.method} ${request.path}`,
    headers: Object.fromEntries(headers),
    body: await describeSentBody(request),
  };
}

async function describeSentBody({ headers, body }: ReceivedRequest): Promise<unknown> {
  const type = headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return parsed(body.toString("utf8"));
  const form = await new Response(Buffer.from(body), { headers: { "content-type": type } }).formData();
  const fields = [...form].map(async ([name, value]) => {
    if (typeof value === "string") return [name, value];
    return [
      name,
      { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()).toString("base64") },
    ];
  });
  return Object.fromEntries(await Promise.all(fields));
}
