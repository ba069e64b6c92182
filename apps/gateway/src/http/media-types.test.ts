import { describe, expect, test } from "vitest";
import { startEdge } from "./edge.fixture.ts";
import { CHAT_BODY, chatHead, RawClient } from "./raw-client.fixture.ts";

const types = [
  "application/json",
  "application/jsonx",
  "xapplication/json",
  "application/json/x",
  "application/vnd.api+json",
  "application/ld+json",
  "application/x-json",
  "application\\json",
  "application json",
  "json",
  "text/json",
  "text/plain",
  "multipart/form-data",
  "application/x-www-form-urlencoded",
  "*/*",
  "application/*",
];
const beforeParameters = ["", " ", "\t", "  \t ", "\xa0", ",", ", text/plain", "\x80"];
const parameters = [
  "",
  ";",
  ";;",
  "; charset=utf-8",
  ";charset=UTF-8",
  '; charset="utf-8"',
  "; charset = utf-8 ",
  "; charset=utf-16",
  "; charset=latin1",
  "; charset=",
  "; charset=utf-8; charset=utf-16",
  "; boundary=x",
  "; a=b",
  "; charset=utf-8, text/html",
  "; version=1; charset=utf-8",
];
const cases: readonly ((type: string) => string)[] = [(type) => type, (type) => type.toUpperCase(), toTitle];

function toTitle(type: string): string {
  return type.replace(/(^|\/)./g, (letter) => letter.toUpperCase());
}

/** Returns every combination of a media type and a suffix, with alternating letter case. */
function spellings(): string[] {
  const tails = beforeParameters.flatMap((space) => parameters.map((parameter) => space + parameter));
  const all = types.flatMap((type) => tails.map((tail) => [type, tail] as const));
  return [...new Set(all.map(([type, tail], index) => (cases[index % cases.length] ?? String)(type) + tail))];
}

/** Returns a chat call with this media type, or without a media type. */
function callWith(contentType: string | null): string {
  const head = chatHead();
  const line = contentType === null ? "" : `content-type: ${contentType}\r\n`;
  return head.replace("content-type: application/json\r\n", () => line) + CHAT_BODY;
}

function withoutIdentity(body: string): string {
  return body.replace(/"id":"[^"]*"/, "").replace(/"created":\d+/, "");
}

describe("X11: media type spellings", () => {
  test("each spelling is rejected with 415 or treated as application/json", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(callWith("application/json"));
    const plain = withoutIdentity((await client.answer(0)).body);
    const tried = spellings().slice(0, 900);
    expect(tried.length).toBeGreaterThanOrEqual(200);
    for (let at = 0; at < tried.length; at += 50) {
      client.send(
        tried
          .slice(at, at + 50)
          .map(callWith)
          .join(""),
      );
      await client.answer(Math.min(at + 50, tried.length));
    }
    const accepted: string[] = [];
    for (const [index, spelling] of tried.entries()) {
      const { status, body } = await client.answer(index + 1);
      if (status === 415) continue;
      expect([status, withoutIdentity(body)], JSON.stringify(spelling)).toEqual([200, plain]);
      accepted.push(spelling);
    }
    // Every accepted value means JSON in UTF-8.
    for (const spelling of accepted) {
      expect(spelling).toMatch(/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i);
    }
    expect(accepted.length).toBeGreaterThan(5);
    expect(edge.unexpected).toEqual([]);
    client.close();
  });

  test("a call without a media type is rejected with 415, and its connection stays usable", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(callWith(null) + callWith("") + callWith("application/json"));
    await client.answer(2);
    expect(client.answers.map(({ status }) => status)).toEqual([415, 415, 200]);
    client.close();
  });

  test.each(["gzip", "br", "deflate", "zstd", "gzip, identity", "identity, gzip", "IDENTITY;q=1", "*", "compress"])(
    "a body with the content encoding %s is rejected with 415",
    async (encoding) => {
      await using edge = await startEdge();
      const client = await RawClient.connect(edge.port);
      client.send(chatHead({ headers: [`content-encoding: ${encoding}`] }) + CHAT_BODY);
      expect((await client.answer(0)).status).toBe(415);
      expect(edge.records).toEqual([]);
      client.close();
    },
  );
});
