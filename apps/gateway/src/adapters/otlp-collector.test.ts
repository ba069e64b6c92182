import { Secret } from "@tollgate/domain/secret.ts";
import { type FakeUpstream, startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { test as base, expect } from "vitest";
import type { FinishedSpan } from "../telemetry/collector.ts";
import { MAX_WAITING, OtlpCollector } from "./otlp-collector.ts";

/** Too short for a retry. */
const ONE_ATTEMPT_MS = 500;

interface OtlpSpan {
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
}

/** Extends `test` with a collector on a real socket. */
// biome-ignore lint/correctness/noEmptyPattern: the runner reads the required fixtures from the pattern.
const test = base.extend("remote", async ({}, { onCleanup }) => {
  const remote = await startFakeUpstream();
  onCleanup(() => remote.close());
  return remote;
});

function connect(remote: FakeUpstream, timeoutMs?: number) {
  const events: string[] = [];
  const settings = {
    endpoint: remote.origin,
    headers: { "x-key": new Secret("covert-collector-key") },
    sampleRatio: 1,
    serviceName: "tollgate",
    sendsFormerNames: false,
  };
  const listener = { onAway: () => events.push("away"), onBack: () => events.push("back") };
  return { collector: new OtlpCollector(settings, listener, timeoutMs), events };
}

function span(attributes: FinishedSpan["attributes"] = {}): FinishedSpan {
  return {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    parentSpanId: null,
    name: "chat alpha",
    kind: "server",
    startedAtMs: 1_700_000_000_000.25,
    endedAtMs: 1_700_000_000_001.5,
    attributes,
    hasFailed: false,
  };
}

function spansOf(body: unknown): readonly OtlpSpan[] {
  const { resourceSpans } = body as { resourceSpans: [{ scopeSpans: [{ spans: OtlpSpan[] }] }] };
  return resourceSpans[0].scopeSpans[0].spans;
}

test("counts spans that a full queue drops, and reports an outage once", async ({ remote }) => {
  remote.replies(503);
  const { collector, events } = connect(remote, ONE_ATTEMPT_MS);
  for (let item = 0; item < MAX_WAITING + 10; item += 1) collector.addSpan(span());
  expect(collector.counts.spans).toEqual({ sent: 0, dropped: 10 });
  await waitFor("the first batches to fail", () => collector.counts.spans.dropped > 1_024);
  expect(events).toEqual(["away"]);
  await collector.close();
  expect(collector.counts.spans).toEqual({ sent: 0, dropped: MAX_WAITING + 10 });
  expect(events).toEqual(["away"]);
  collector.addSpan(span());
  expect(collector.counts.spans.dropped).toBe(MAX_WAITING + 11);
});

test("reports an outage that it finds on close, and drops the spans", async ({ remote }) => {
  remote.replies(503);
  const { collector, events } = connect(remote, ONE_ATTEMPT_MS);
  for (let item = 0; item < 3; item += 1) collector.addSpan(span());
  await collector.close();
  expect(collector.counts.spans).toEqual({ sent: 0, dropped: 3 });
  expect(events).toEqual(["away"]);
});

test("sends all waiting spans in batches on close and drops a rejected batch", async ({ remote }) => {
  remote.behaves(reply(200, {}), reply(400, {}), reply(200, {}));
  const { collector, events } = connect(remote);
  for (let item = 0; item < 1_200; item += 1) collector.addSpan(span());
  await collector.close();
  const batches = remote.requests.map((request) => spansOf(request.json()).length);
  expect(batches.toSorted((one, other) => other - one)).toEqual([512, 512, 176]);
  const rejected = batches[1] as number;
  expect(collector.counts.spans).toEqual({ sent: 1_200 - rejected, dropped: rejected });
  expect(events).toEqual([]);
});

test("reports that the collector is available again after it accepts a batch", async ({ remote }) => {
  remote.behaves(reply(503), reply(200, {}));
  const { collector, events } = connect(remote, ONE_ATTEMPT_MS);
  collector.addSpan(span());
  await waitFor("the outage", () => events.length === 1);
  collector.addSpan(span());
  await waitFor("the end of the outage", () => events.length === 2);
  expect(events).toEqual(["away", "back"]);
  expect(collector.counts.spans).toEqual({ sent: 1, dropped: 1 });
  await collector.close();
});

test("follows no redirect, because the headers contain a key for this URL only", async ({ remote }) => {
  await using elsewhere = await startFakeUpstream();
  elsewhere.replies(200, {});
  remote.replies(307, {}, { location: `${elsewhere.origin}/v1/traces` });
  const { collector } = connect(remote);
  collector.addSpan(span());
  collector.sendMetrics([]);
  await collector.close();
  expect(remote.requests.map(({ headers }) => headers["x-key"])).toEqual(Array(2).fill("covert-collector-key"));
  expect(elsewhere.requests).toEqual([]);
  expect(collector.counts).toEqual({ spans: { sent: 0, dropped: 1 }, metrics: { sent: 0, dropped: 1 } });
});

test("sends an attribute that can have a fraction as a double, even if it is a whole number", async ({ remote }) => {
  remote.replies(200, {});
  const { collector } = connect(remote);
  const text = '"key":"gw.cost_usd","value":{"intValue":1}';
  collector.addSpan(span({ "gw.cost_usd": 0, "gw.queue_seconds": 0.25, "gw.attempts": 2, "gw.key.id": text }));
  await collector.close();
  const sent = spansOf(remote.requests[0]?.json());
  expect(sent).toMatchObject([
    { startTimeUnixNano: "1700000000000250000", endTimeUnixNano: "1700000000001500000", kind: 2 },
  ]);
  expect(sent[0]?.attributes).toEqual([
    { key: "gw.cost_usd", value: { doubleValue: 0 } },
    { key: "gw.queue_seconds", value: { doubleValue: 0.25 } },
    { key: "gw.attempts", value: { intValue: 2 } },
    { key: "gw.key.id", value: { stringValue: text } },
  ]);
});
