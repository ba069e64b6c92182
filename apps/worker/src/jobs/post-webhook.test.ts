import { LOOPBACK_TARGETS, readAllowedTargets } from "@tollgate/domain/network/allowed-target.ts";
import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { describe, expect } from "vitest";
import { startReceiver } from "./jobs.fixture.ts";
import { postWebhook } from "./post-webhook.ts";

const test = base.extend("receiver", async ({ task: _ }, { onCleanup }) => {
  const receiver = await startReceiver();
  onCleanup(() => receiver.close());
  return receiver;
});

const message = (url: string) => ({ url, headers: {}, body: "{}" });
const outside = { allowed: [], allowsQuery: true };
const inside = { allowed: LOOPBACK_TARGETS, allowsQuery: true };

/** Returns URLs that would reach a listener on this computer if the check were bypassed. */
const spellings = (port: string) => [
  `http://127.0.0.1:${port}`,
  `https://127.0.0.1:${port}`,
  `https://localhost:${port}`,
  `https://LOCALHOST:${port}`,
  `https://localhost.:${port}`,
  `https://sub.localhost:${port}`,
  `https://2130706433:${port}`,
  `https://0x7f000001:${port}`,
  `https://017700000001:${port}`,
  `https://0177.0.0.1:${port}`,
  `https://127.1:${port}`,
  `https://127.0.1:${port}`,
  `https://0:${port}`,
  `https://0.0.0.0:${port}`,
  `https://[::1]:${port}`,
  `https://[::]:${port}`,
  `https://[0:0:0:0:0:0:0:1]:${port}`,
  `https://[::ffff:127.0.0.1]:${port}`,
  `https://[::ffff:7f00:1]:${port}`,
  `https://[64:ff9b::7f00:1]:${port}`,
  `https://example.com@127.0.0.1:${port}`,
  `https://example.com:${port}@127.0.0.1`,
  `https://127.0.0.1:${port}#@example.com`,
  `https://example.com\\@127.0.0.1:${port}`,
  `https://①②⑦.0.0.1:${port}`,
  `https://127。0。0。1:${port}`,
  `https:127.0.0.1:${port}`,
  `//127.0.0.1:${port}`,
  `ftp://127.0.0.1:${port}`,
  `file:///etc/passwd`,
  "https://169.254.169.254/latest/meta-data",
  "https://10.0.0.1",
  "https://192.168.1.1",
  "https://100.64.0.1",
  "https://[fd00::1]",
  "https://[fe80::1]",
];

test("refuses every spelling of an internal address", async ({ receiver }) => {
  const { port } = new URL(receiver.url);
  for (const url of spellings(port)) {
    expect({ url, ...(await postWebhook(message(url), outside)) }).toEqual({
      url,
      isTaken: false,
      outcome: "refused_address",
    });
  }
  expect(receiver.messages).toEqual([]);
});

describe("webhook host name", () => {
  const asked: string[] = [];

  test.for([
    ["resolves to loopback", ["127.0.0.1"]],
    ["resolves to a public address and loopback", ["93.184.215.14", "127.0.0.1"]],
    ["resolves to a private network", ["10.1.2.3"]],
    ["resolves to loopback over IPv6", ["::ffff:127.0.0.1"]],
  ] as const)("that %s is refused", async ([, addresses], { receiver }) => {
    const { port } = new URL(receiver.url);
    const resolve = async (host: string) => {
      asked.push(host);
      return addresses;
    };
    const outcome = await postWebhook(message(`https://hooks.example.com:${port}/x`), outside, resolve);
    expect(outcome).toEqual({ isTaken: false, outcome: "refused_address" });
    expect(asked.at(-1)).toBe("hooks.example.com");
    expect(receiver.messages).toEqual([]);
  });

  test("is resolved only once, for both the check and the connection", async ({ receiver }) => {
    const { port } = new URL(receiver.url);
    let questions = 0;
    const resolve = async () => {
      questions += 1;
      return questions === 1 ? ["127.0.0.1"] : ["93.184.215.14"];
    };
    const rule = { ...outside, allowed: readAllowedTargets([`rebinding.internal:${port}`]) };
    const outcome = await postWebhook(message(`http://rebinding.internal:${port}`), rule, resolve);
    expect({ questions, ...outcome }).toEqual({ questions: 1, isTaken: true, outcome: "204" });
    expect(receiver.messages.map(({ headers }) => headers.host)).toEqual([`rebinding.internal:${port}`]);
  });

  test("on the operator's allowlist does not allow any other name", async ({ receiver }) => {
    const { port } = new URL(receiver.url);
    const rule = { ...outside, allowed: readAllowedTargets(["hooks.internal"]) };
    const resolve = async () => ["127.0.0.1"];
    expect(await postWebhook(message(`http://hooks.internal:${port}`), rule, resolve)).toMatchObject({ isTaken: true });
    const other = await postWebhook(message(`https://evil.example:${port}`), rule, resolve);
    expect(other).toEqual({ isTaken: false, outcome: "refused_address" });
    expect(receiver.messages).toHaveLength(1);
  });
});

test("does not follow a redirect", async ({ receiver }) => {
  receiver.answer = { status: 307, headers: { location: `${receiver.url}/elsewhere` } };
  expect(await postWebhook(message(receiver.url), inside)).toEqual({ isTaken: false, outcome: "307" });
  expect(receiver.messages.map(({ path }) => path)).toEqual(["/"]);
});

test("times out after five seconds without a response", async ({ receiver }) => {
  receiver.answer = "nothing";
  const awakeTime = watchAwakeTime();
  const startedAt = performance.now();
  expect(await postWebhook(message(receiver.url), inside)).toEqual({ isTaken: false, outcome: "timeout" });
  expect(performance.now() - startedAt).toBeGreaterThan(4_900);
  expect(awakeTime(startedAt, performance.now())).toBeLessThan(8_000);
});

test("does not read an endless response body", async ({ receiver }) => {
  receiver.answer = { status: 200, isEndless: true };
  expect(await postWebhook(message(receiver.url), inside)).toEqual({ isTaken: true, outcome: "200" });
});

test("reports a refused connection as unreachable", async () => {
  expect(await postWebhook(message("http://127.0.0.1:1"), inside)).toEqual({ isTaken: false, outcome: "unreachable" });
});
