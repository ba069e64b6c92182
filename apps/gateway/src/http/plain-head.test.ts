import { describe, expect, test } from "vitest";
import { Random } from "../../../../tests/random.ts";
import { type NodeMessage, POST, parseWithNode } from "../wire/node-parser.fixture.ts";
import { readPlainHead } from "./plain-head.ts";
import { readRequestHeaders } from "./request-headers.ts";

const BODY = '{"model":"a"}';
const lines = [
  "Host: gateway.test",
  "Authorization: Bearer sk-1",
  "Content-Type: application/json",
  "User-Agent: OpenAI/Python",
];
const request = (...more: string[]) =>
  `POST /v1/chat/completions HTTP/1.1\r\n${[...lines, ...more].join("\r\n")}\r\n\r\n`;
const plain = `${request(`Content-Length: ${BODY.length}`)}${BODY}`;

const read = (bytes: string) => readPlainHead(Buffer.from(bytes, "latin1"));

describe("plain head", () => {
  test("is read with its target, headers, and the position and length of its body", () => {
    expect(read(plain)).toMatchObject({
      target: "/v1/chat/completions",
      headers: { host: "gateway.test", keys: { authorization: "Bearer sk-1" }, contentType: "application/json" },
      bodyLength: BODY.length,
      bodyFrom: plain.length - BODY.length,
    });
  });

  test("is not read again if only its length differs from that of the last request", () => {
    const last = read(plain);
    const next = plain.replace("Content-Length: 13", "Content-Length: 4096");
    expect(readPlainHead(Buffer.from(next), last)).toEqual(read(next));
    expect(readPlainHead(Buffer.from(next), last)?.headers.keys).toBe(last?.headers.keys);
  });

  test.for([
    ["another header", plain.replace("sk-1", "sk-2")],
    ["another header after the length", `${request("Content-Length: 13", "X-A: 1")}${BODY}`],
    ["a longer length", plain.replace("Content-Length: 13", "Content-Length: 1300000000000")],
    ["a signed length", plain.replace("Content-Length: 13", "Content-Length: +13")],
    ["two lengths", plain.replace("Content-Length: 13", "Content-Length: 13\r\nContent-Length: 13")],
    ["no length", plain.replace("Content-Length: 13", "Content-Length: ")],
    ["another head", plain.replace("Content-Length: 13\r\n", "Content-Length: 13\r\nConnection: close\r\n")],
    ["a digit in another line", plain.replace("sk-1", "sk-11")],
  ] as const)("is read as if it were the first if it has %s", ([, bytes]) => {
    expect(readPlainHead(Buffer.from(bytes), read(plain))).toEqual(read(bytes));
  });

  test.for([
    ["an incomplete head", plain.slice(0, 60)],
    ["another method", plain.replace("POST", "PUT")],
    ["another version", plain.replace("HTTP/1.1", "HTTP/1.0")],
    ["a target that is not a path", plain.replace("/v1/", "http://gateway.test/v1/")],
    ["a fragment in the target", plain.replace(" HTTP", "#x HTTP")],
    ["no length", `${request()}${BODY}`],
    ["two lengths", request("Content-Length: 5", "Content-Length: 5")],
    ["a signed length", request("Content-Length: +5")],
    ["a transfer coding", request("Transfer-Encoding: chunked")],
    ["a length and a transfer coding", request("Content-Length: 5", "Transfer-Encoding: chunked")],
    ["an expectation", request("Content-Length: 5", "Expect: 100-continue")],
    ["an upgrade", request("Content-Length: 5", "Upgrade: h2c")],
    ["a connection that closes", request("Content-Length: 5", "Connection: close")],
    ["connection options", request("Content-Length: 5", "Connection: keep-alive, upgrade")],
    ["a folded line", request("Content-Length: 5", "X-A: 1", " 2")],
    ["a bare line feed", request("Content-Length: 5\nX-A: 1")],
    ["a space before a colon", request("Content-Length : 5")],
    ["an underscore in a name", request("Content-Length: 5", "X_A: 1")],
    ["a control character in a value", request("Content-Length: 5", "X-A: \u0001")],
    ["a repeated header that must be single", request("Content-Length: 5", "Host: other.test")],
    [
      "more than 64 headers",
      request("Content-Length: 5", ...Array.from({ length: 62 }, (_, index) => `X-${index}: 1`)),
    ],
    ["a long head", request("Content-Length: 5", `X-A: ${"a".repeat(9_000)}`)],
  ] as const)("is left to Node's parser if it has %s", ([, bytes]) => {
    expect(read(bytes)).toBeNull();
  });
});

/** Pieces that parsers disagree about. */
const pieces = [
  "\r\n", "\n", "\r", " ", "\t", ":", ";", ",", "\u0000", "\u000b", "\u007f", "\u0080", "\u00a0", "\u00ff", "_", "-", "0", "5", "a",
  "\r\n ", "\r\n\t", "\r\n\r\n", " HTTP/1.1", "POST ", "GET / HTTP/1.1\r\n\r\n", "Content-Length: 5\r\n", "Content-Length: 13\r\n",
  "content-length:13 \r\n", "Content-Length: 13, 13\r\n", "Content-Length: 0x0d\r\n", "Content-Length: 013\r\n", "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: identity\r\n", "Transfer-Encoding : chunked\r\n", "Connection: close\r\n", "Connection: keep-alive\r\n",
  "Connection: Keep-Alive \r\n", "Connection: upgrade\r\n", "Upgrade: websocket\r\n", "Expect: 100-continue\r\n", "Proxy-Connection: close\r\n",
  "Host: other.test\r\n", "X-A:\r\n", "X-A: \t b \t\r\n", "X-\u0080: 1\r\n", ": 1\r\n", "X-A\r\n", "%00", "?a=b", "#", "//", "..", "\"", "<", "{",
]; // biome-ignore format: a list of pieces is easier to read in rows.

/** Changes a valid request in one to four places. */
function change(random: Random): string {
  let bytes = random.chance(0.5)
    ? plain
    : `${request(`Content-Length: ${BODY.length}`, "Connection: keep-alive")}${BODY}`;
  for (let changes = random.integer(1, 4); changes > 0; changes -= 1) {
    const at = random.integer(0, bytes.length - 1);
    const removed = random.chance(0.4) ? random.integer(0, 3) : 0;
    const isAtLine = random.chance(0.5);
    const from = isAtLine ? bytes.indexOf("\r\n", at) + 2 : at;
    bytes = bytes.slice(0, from) + (random.chance(0.8) ? random.pick(pieces) : "") + bytes.slice(from + removed);
  }
  return bytes;
}

/** Reads the request at the beginning of the bytes, or returns null if it isn't plain or is incomplete. */
function readPlain(bytes: string): { target: string; headers: unknown; body: string } | null {
  const head = read(bytes);
  if (head === null || bytes.length < head.bodyFrom + head.bodyLength) return null;
  const { target, headers, bodyFrom, bodyLength } = head;
  return { target, headers, body: bytes.slice(bodyFrom, bodyFrom + bodyLength) };
}

const REQUESTS = Number(process.env.PLAIN_REQUESTS ?? 50_000);

test("never accepts a request that Node's parser refuses, and reads what both accept alike", {
  timeout: 600_000,
}, () => {
  const seed = Number(process.env.PLAIN_SEED ?? Date.now() % 1_000_000);
  const random = new Random(seed);
  let accepted = 0;
  for (let index = 0; index < REQUESTS; index += 1) {
    const bytes = change(random);
    const own = readPlain(bytes);
    if (own === null) continue;
    const node = parseWithNode("REQUEST", bytes, false);
    const asNode = (message: NodeMessage) => ({
      target: message.target,
      headers: readRequestHeaders(message.rawHeaders),
      body: message.body,
    });
    const isAlike =
      node?.isComplete &&
      node.method === POST &&
      node.keepsAlive &&
      !node.isUpgrade &&
      JSON.stringify(asNode(node)) === JSON.stringify(own);
    if (!isAlike) expect({ seed, bytes, read: node && asNode(node) }).toEqual({ seed, bytes, read: own });
    accepted += 1;
  }
  expect(accepted).toBeGreaterThan(REQUESTS / 50);
});
