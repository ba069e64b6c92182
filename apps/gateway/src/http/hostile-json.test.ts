import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Edge, startEdge } from "./edge.fixture.ts";
import { chatHead, type RawAnswer, RawClient } from "./raw-client.fixture.ts";

const MAX_ANSWER_MS = 100;
const MAX_LAG_MS = 50;
const MILLION = 1_000_000;

const valid = '"model":"sim/echo","messages":[{"role":"user","content":"hello"}]';

function nested(open: string, close: string, depth: number): string {
  return `{${valid},"metadata":{"a":${open.repeat(depth)}1${close.repeat(depth)}}}`;
}

function withKeys(keys: Iterable<string>): string {
  return `{${valid},"metadata":{${Array.from(keys, (key) => `"${key}":1`).join(",")}}}`;
}

function* numbered(count: number, name: (index: number) => string): Generator<string> {
  for (let index = 0; index < count; index += 1) yield name(index);
}

/** Returns numeric keys with equal low bits, so that their hashes collide. */
const alike = (index: number) => String(index * 2 ** 24);

const refused: [string, string][] = [
  ...[65, 100, 1_000, 10_000, 100_000, MILLION].flatMap((depth): [string, string][] => [
    [`arrays ${depth} deep`, nested("[", "]", depth)],
    [`objects ${depth} deep`, nested('{"a":', "}", depth)],
    [`unclosed arrays ${depth} levels deep`, `{${valid},"metadata":${"[".repeat(depth)}`],
  ]),
  ["a million arrays deep and nothing else", "[".repeat(MILLION)],
  ["a million objects deep and nothing else", '{"a":'.repeat(MILLION)],
  ["a million keys", withKeys(numbered(MILLION, (index) => `k${index}`))],
  ["a million keys at the top", `{${valid},${[...numbered(MILLION, (index) => `"k${index}":1`)].join(",")}}`],
  ["a million times the same key", withKeys(numbered(MILLION, () => "k"))],
  ["a million keys that hash alike", withKeys(numbered(MILLION, alike))],
  ["ten thousand and one keys", withKeys(numbered(10_001, (index) => `k${index}`))],
  ["__proto__ at the top", `{${valid},"__proto__":{"isAdmin":true}}`],
  ["__proto__ below", `{${valid},"metadata":{"__proto__":{"isAdmin":true}}}`],
  ["__proto__ in a message", '{"model":"sim/echo","messages":[{"role":"user","content":"x","__proto__":null}]}'],
  ["__proto__ far below", nested('{"a":', "}", 30).replace("1", '{"__proto__":1}')],
  ["__proto__ with an escape", `{${valid},"metadata":{"\\u005f_proto__":1}}`],
  ["__proto__ all in escapes", `{${valid},"metadata":{"${[..."__proto__"].map(escaped).join("")}":1}}`],
  ["constructor at the top", `{${valid},"constructor":{"prototype":{}}}`],
  ["constructor below", `{${valid},"metadata":{"constructor":1}}`],
  ["constructor with an escape", `{${valid},"metadata":{"constr\\u0075ctor":1}}`],
  ["model twice", `{"model":"sim/echo",${valid}}`],
  ["model twice, once with an escape", `{${valid},"mod\\u0065l":"sim/paid"}`],
  ["messages twice, all in escapes", `{${valid},"${[..."messages"].map(escaped).join("")}":[]}`],
  [
    "stream twice among many keys",
    `{${valid},"stream":false,${""
      .padEnd(30, "x")
      .split("")
      .map((_, i) => `"k${i}":1`)
      .join(",")},"stream":true}`,
  ],
  ["text that never ends", `{${valid},"user":"${"a".repeat(MILLION)}`],
  ["a million backslashes", `{${valid},"user":"${"\\".repeat(MILLION)}`],
  ["many escaped quotes that never end", `{${valid},"user":"${'\\"'.repeat(MILLION / 4)}`],
  ["many empty strings and no colon", `{${'"",'.repeat(MILLION / 4)}`],
  ["a million colons", `{${":".repeat(MILLION)}`],
  ["a million closing braces", `{${valid}}${"}".repeat(MILLION)}`],
  ["a million digits", `{${valid},"seed":${"9".repeat(MILLION)}`],
  ["a key with a broken escape", `{${valid},"\\u00zz":1}`],
  ["an array", "[]"],
  ["text", '"x"'],
  ["a number", "1"],
  ["null", "null"],
  ["two values", `{${valid}}{}`],
  ["a comment", `{${valid}/* x */}`],
  ["a trailing comma", `{${valid},}`],
  ["a leading mark of byte order", `\xef\xbb\xbf{${valid}}`],
  ["UTF-16", Buffer.from(`{${valid}}`, "utf16le").toString("latin1")],
  ["NUL behind the value", `{${valid}}\x00`],
];

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

describe("X14: hostile JSON", () => {
  let edge: Edge;

  beforeAll(async () => {
    edge = await startEdge();
  });
  afterAll(async () => {
    await edge.close();
  });

  /** Sends a complete body. Returns the response and the time spent after the body was sent. */
  async function post(body: string): Promise<{ answer: RawAnswer; spentMs: number; lagMs: number }> {
    const client = await RawClient.connect(edge.port);
    // Sends all but the last byte first, so that network time is not attributed to the parser.
    await client.sendApart(chatHead({ body }) + body.slice(0, -1));
    const work = watchWork();
    client.send(body.slice(-1));
    const answer = await client.answer(0);
    client.close();
    return { answer, ...work.stop() };
  }

  test.each(refused)("%s is rejected within 100 ms of CPU time", async (_, body) => {
    let best = { spentMs: Number.POSITIVE_INFINITY, lagMs: Number.POSITIVE_INFINITY };
    // Takes the best of a few tries, because the measured time may include garbage collection from earlier tests.
    for (let tries = 0; tries < 3 && (best.spentMs >= MAX_ANSWER_MS || best.lagMs >= MAX_LAG_MS); tries += 1) {
      const { answer, spentMs, lagMs } = await post(body);
      expect(answer.status).toBe(422);
      const type = expect.stringMatching(/^(json_invalid|dict_type)$/);
      expect(JSON.parse(answer.body)).toMatchObject({ detail: [{ loc: ["body"], type }] });
      best = { spentMs: Math.min(best.spentMs, spentMs), lagMs: Math.min(best.lagMs, lagMs) };
    }
    expect(best.spentMs).toBeLessThan(MAX_ANSWER_MS);
    expect(best.lagMs).toBeLessThan(MAX_LAG_MS);
    expect(edge.records).toEqual([]);
  });

  test("causes no unexpected error and does not change Object.prototype", () => {
    expect(edge.unexpected).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});

describe("X14: harmless JSON that resembles hostile JSON", () => {
  const accepted: [string, string][] = [
    ["an escaped key", '{"mod\\u0065l":"sim/echo","messages":[{"role":"user","content":"hello"}]}'],
    ["62 levels below the top", nested("[", "]", 62)],
    ["ten thousand keys with colliding hashes", `{${valid},"tools":[${toolWith(9_980)}]}`],
    ["__proto__ as text", `{${valid},"user":"__proto__"}`],
    ["constructor as a tool parameter name", `{${valid},"tools":[${toolWith(1, () => "constructor")}]}`],
    ["every kind of whitespace", ` \t\r\n{ \n${valid}\t}\r\n `],
    ["a million characters of text", `{${valid},"user":"${"a".repeat(MILLION)}"}`],
  ];

  test.each(accepted)("%s is accepted", async (_, body) => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    const awakeTime = watchAwakeTime();
    const sentAtMs = performance.now();
    client.send(chatHead({ body }) + body);
    const answer = await client.answer(0);
    expect([answer.status, answer.body.slice(0, 300)]).toEqual([200, expect.stringContaining('"chat.completion"')]);
    expect(awakeTime(sentAtMs, performance.now())).toBeLessThan(1_000);
    expect(edge.unexpected).toEqual([]);
    client.close();
  });
});

function toolWith(count: number, name: (index: number) => string = alike): string {
  const properties = [...numbered(count, name)].map((key) => `"${key}":1`).join(",");
  return `{"type":"function","function":{"name":"f","parameters":{"properties":{${properties}}}}}`;
}

/**
 * Measures the CPU time of this thread: the total, and the longest time without yielding. CPU time is used because the
 * machine may be busy with other work.
 */
function watchWork(): { stop(): { spentMs: number; lagMs: number } } {
  const startMs = workedMs();
  let lastMs = startMs;
  let lagMs = 0;
  const look = () => {
    lagMs = Math.max(lagMs, workedMs() - lastMs);
    lastMs = workedMs();
  };
  const timer = setInterval(look, 1);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return { spentMs: lastMs - startMs, lagMs };
    },
  };
}

function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
