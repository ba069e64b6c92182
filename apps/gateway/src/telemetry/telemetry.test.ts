import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { type FakeUpstream, startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { test as gateways, type StartOptions, UPSTREAM_KEY } from "../http/routes/chat-gateway.fixture.ts";
import { MASTER_KEY } from "../test-gateway.fixture.ts";

const COLLECTOR_KEY = "covert-collector-key";
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code?: number };
}

/** Extends `test` with a collector on a real socket and gateways that export to it. */
const test = gateways
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the required fixtures from the pattern.
  .extend("collector", async ({}, { onCleanup }) => {
    const collector = await startFakeUpstream();
    onCleanup(() => collector.close());
    collector.replies(200, {});
    return collector;
  })
  .extend("traced", async ({ start, collector }) => (ratio: number, options: StartOptions = {}) => {
    const otel = `{ endpoint: "${collector.origin}", sample_ratio: ${ratio}, headers: { x-key: ${COLLECTOR_KEY} } }`;
    return start({ ...options, yaml: `general_settings: { otel: ${otel} }\n${options.yaml ?? ""}` });
  });

function plainOf(value: Record<string, unknown>): unknown {
  const [kind, plain] = Object.entries(value)[0] ?? [];
  if (kind === "arrayValue") return (plain as { values: Record<string, unknown>[] }).values.map(plainOf);
  return kind === "intValue" ? Number(plain) : plain;
}

/** Returns the bodies that the collector has received for one signal. */
function bodiesOf(collector: FakeUpstream, signal: string): readonly never[] {
  return collector.requests.filter(({ path }) => path === `/v1/${signal}`).map((one) => one.json() as never);
}

function spansOf(collector: FakeUpstream): readonly Span[] {
  const spans = bodiesOf(collector, "traces").flatMap(
    (body: { resourceSpans: { scopeSpans: { spans: (Span & { attributes: never[] })[] }[] }[] }) =>
      body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
  return spans.map((span) => ({
    ...span,
    attributes: Object.fromEntries(
      span.attributes.map(({ key, value }: { key: string; value: Record<string, unknown> }) => [key, plainOf(value)]),
    ),
  }));
}

test("a call has one span in the caller's trace and one span per attempt, and the spans contain no content", async ({
  traced,
  collector,
  upstreams,
}) => {
  const gateway = await traced(0, {
    yaml: 'router_settings: { num_retries: 0, disable_cooldowns: true, fallbacks: [{ alpha: ["beta"] }] }',
  });
  upstreams.alpha.replies(503, { error: { message: "covert-refusal" } });
  upstreams.beta.replies(200, chatAnswer({ inputTokens: 12, outputTokens: 3, content: "covert-answer" }));
  const question = { model: "alpha", messages: [{ role: "user", content: "covert-question" }] };
  const answer = await gateway.chat(question, { traceparent: `00-${TRACE}-${PARENT}-01` });
  expect(answer.status).toBe(200);
  await waitFor("the collector to receive spans", () => spansOf(collector).length === 3);
  const spans = spansOf(collector);
  const whole = spans.find(({ kind }) => kind === 2) as Span;
  const [failed, answered] = spans.filter(({ kind }) => kind === 3) as [Span, Span];
  expect(whole).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, name: "chat alpha", status: {} });
  expect(whole.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "alpha",
    "gen_ai.usage.input_tokens": 12,
    "gen_ai.usage.output_tokens": 3,
    "gen_ai.response.finish_reasons": ["stop"],
    "http.response.status_code": 200,
    "gw.fallback_from": "alpha",
    "gw.attempts": 2,
    "gw.call.id": answer.headers.get("x-gw-call-id"),
  });
  expect(whole.attributes).not.toHaveProperty("gen_ai.system");
  expect(failed).toMatchObject({ name: "chat upstream-1", parentSpanId: whole.spanId, status: { code: 2 } });
  expect(failed.attributes).toMatchObject({ "error.type": "service_unavailable", "gw.deployment.id": "alpha-1" });
  expect(answered).toMatchObject({ name: "chat upstream-2", parentSpanId: whole.spanId, status: {} });
  expect(BigInt(failed.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(whole.startTimeUnixNano));
  expect(BigInt(answered.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(failed.endTimeUnixNano));
  expect(BigInt(whole.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(answered.endTimeUnixNano));
  const sent = (upstream: FakeUpstream) => upstream.requests.map(({ headers }) => headers.traceparent);
  expect(sent(upstreams.alpha)).toEqual([`00-${TRACE}-${failed.spanId}-01`]);
  expect(sent(upstreams.beta)).toEqual([`00-${TRACE}-${answered.spanId}-01`]);
  const [reported] = collector.requests;
  expect(reported?.headers["x-key"]).toBe(COLLECTOR_KEY);
  const text = collector.requests.map(({ body }) => body.toString()).join("");
  for (const covert of ["covert", MASTER_KEY, UPSTREAM_KEY]) expect(text).not.toContain(covert);
});

test("stream spans contain the finish reason and the time to first chunk", async ({ traced, collector, upstreams }) => {
  const gateway = await traced(1);
  upstreams.alpha.streams(chatFrames({ inputTokens: 5, outputTokens: 2 }));
  await (await gateway.chat({ model: "alpha", stream: true })).text();
  await waitFor("the collector to receive spans", () => spansOf(collector).length === 2);
  for (const span of spansOf(collector)) {
    expect(span.attributes).toMatchObject({
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.output_tokens": 2,
    });
    expect(span.attributes["gen_ai.response.time_to_first_chunk"]).toBeGreaterThan(0);
    expect(span.attributes).not.toHaveProperty("error.type");
  }
});

test("a call is traced if its traceparent is sampled or, without a traceparent, according to the sample ratio", async ({
  traced,
  collector,
  upstreams,
}) => {
  const gateway = await traced(0);
  upstreams.alpha.replies(200, chatAnswer());
  const unwanted = `00-${TRACE}-${PARENT}-00`;
  await gateway.chat({ model: "alpha" });
  await gateway.chat({ model: "alpha" }, { traceparent: unwanted });
  for (const wrong of ["", "00-1-2-01", `00-${"0".repeat(32)}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01-more`]) {
    await gateway.chat({ model: "alpha" }, { traceparent: wrong });
  }
  await gateway.chat({ model: "alpha" }, { traceparent: `00-${TRACE}-${PARENT}-01` });
  await waitFor("the collector to receive spans", () => spansOf(collector).length > 0);
  expect(spansOf(collector)).toHaveLength(2);
  const forwarded = upstreams.alpha.requests.map(({ headers }) => headers.traceparent ?? null);
  expect(forwarded.slice(0, -1)).toEqual([null, unwanted, null, null, null, null]);
});

test("exported metrics count every call, traced or not", async ({ traced, collector, upstreams }) => {
  const gateway = await traced(0);
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 12, outputTokens: 3 }));
  for (let call = 0; call < 3; call += 1) await gateway.chat({ model: "alpha" });
  await gateway.close();
  const [body] = bodiesOf(collector, "metrics") as unknown as [{ resourceMetrics: [{ scopeMetrics: [Metrics] }] }];
  interface Metrics {
    readonly metrics: { name: string; histogram: { dataPoints: { count: number; sum: number }[] } }[];
  }
  const pointsOf = (name: string) =>
    body.resourceMetrics[0].scopeMetrics[0].metrics.find((metric) => metric.name === name)?.histogram.dataPoints;
  expect(pointsOf("gen_ai.client.token.usage")?.map(({ count, sum }) => [count, sum])).toEqual([
    [3, 36],
    [3, 9],
  ]);
  expect(pointsOf("gen_ai.client.operation.duration")).toMatchObject([{ count: 3 }]);
  expect(spansOf(collector)).toEqual([]);
});

test("an unavailable collector does not affect calls, and receives the spans when it is available again", async ({
  traced,
  collector,
  upstreams,
}) => {
  const gateway = await traced(1);
  upstreams.alpha.replies(200, chatAnswer());
  collector.replies(503, {});
  for (let call = 0; call < 5; call += 1) expect((await gateway.chat({ model: "alpha" })).status).toBe(200);
  await waitFor("the collector to be asked", () => collector.requests.length > 0);
  collector.replies(200, {});
  const readPage = async () =>
    (await fetch(`${gateway.url}/metrics`, { headers: { "x-gw-api-key": MASTER_KEY } })).text();
  const reported = 'gw_telemetry_items_total{signal="spans",outcome="sent"} 10';
  await waitFor("all spans to be taken", async () => (await readPage()).includes(reported));
  // The batch was resent after the 503 response, and each span was accepted once.
  expect(collector.requests.length).toBeGreaterThan(1);
  expect(new Set(spansOf(collector).map(({ spanId }) => spanId)).size).toBe(10);
  expect(await readPage()).toContain('gw_telemetry_items_total{signal="spans",outcome="dropped"} 0');
});
