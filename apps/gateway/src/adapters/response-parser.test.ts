import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MalformedResponse, type UpstreamHeaders } from "../call/provider.ts";
import { parseWithNode } from "../wire/node-parser.fixture.ts";
import { ResponseParser } from "./response-parser.ts";

/** What a parser made of some bytes. */
interface Parsed {
  status: number;
  headers: UpstreamHeaders;
  body: string;
  /** Bytes after the response; null if the response is incomplete. */
  rest: number | null;
  keepsAlive: boolean;
  pieces: number;
}

/** Parses reads. The bytes of each read are overwritten afterwards, as they are on a connection. */
function parse(reads: readonly string[], isClosed = false, parsed = unparsed()): Parsed {
  const parser = new ResponseParser({
    onHead: (status, headers) => Object.assign(parsed, { status, headers }),
    onBody: (bytes) => {
      parsed.body += bytes.toString("latin1");
      parsed.pieces += 1;
    },
    onComplete: (rest) => {
      parsed.rest = rest;
    },
  });
  parser.begin();
  for (const read of reads) {
    const bytes = Buffer.from(read, "latin1");
    parser.push(bytes);
    bytes.fill(0xee);
  }
  if (isClosed) parser.end();
  parsed.keepsAlive = parser.keepsAlive;
  return parsed;
}

function unparsed(): Parsed {
  return { status: 0, headers: {}, body: "", rest: null, keepsAlive: false, pieces: 0 };
}

/** Returns the part of a malformed response's body that was passed on. */
function bodyBeforeError(reads: readonly string[]): string {
  const parsed = unparsed();
  expect(() => parse(reads, false, parsed)).toThrow(MalformedResponse);
  return parsed.body;
}

const isMalformed = (bytes: string): boolean => {
  try {
    parse([bytes], true);
    return false;
  } catch (error) {
    if (error instanceof MalformedResponse) return true;
    throw error;
  }
};

const counted = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\nhello";
const chunked =
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n00A;name=value\r\n, 10 bytes\r\n0\r\nx-trailer: 1\r\n\r\n";

describe("response", () => {
  test.for([
    ["counted", counted, "hello"],
    ["chunked", chunked, "hello, 10 bytes"],
    ["after an interim response", `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${counted}`, "hello"],
    ["empty", "HTTP/1.1 200 \r\ncontent-length: 0\r\n\r\n", ""],
    ["without a reason", "HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok", "ok"],
    ["without content", "HTTP/1.1 204 No Content\r\n\r\n", ""],
  ] as const)("is parsed alike wherever it is split: %s", ([, bytes, body]) => {
    const whole = parse([bytes]);
    expect(whole).toMatchObject({ body, rest: 0, keepsAlive: true });
    for (let at = 1; at < bytes.length; at += 1) {
      expect(parse([bytes.slice(0, at), bytes.slice(at)]), `split at ${at}`).toEqual({
        ...whole,
        pieces: expect.any(Number),
      });
    }
    expect(parse([...bytes])).toEqual({ ...whole, pieces: body.length });
  });

  test("passes the chunks of one read on as one piece", () => {
    expect(parse([chunked]).pieces).toBe(1);
  });

  test("has lowercase header names, trimmed values, and a list for a repeated header", () => {
    const head =
      "HTTP/1.1 200 OK\r\nX-One: \t1\u00a0 \r\nx-two:2\r\nX-TWO: 3\r\nx-two: 4\r\nConstructor: x\r\ncontent-length: 0\r\n";
    expect(parse([`${head}\r\n`]).headers).toEqual({
      "x-one": "1\u00a0",
      "x-two": ["2", "3", "4"],
      constructor: "x",
      "content-length": "0",
    });
  });

  test("without a length ends with its connection", () => {
    const bytes = "HTTP/1.1 200 OK\r\n\r\nsome text";
    expect(parse([bytes]).rest).toBeNull();
    expect(parse([bytes], true)).toMatchObject({ body: "some text", rest: 0, keepsAlive: false });
  });

  test("that its connection cuts off is incomplete", () => {
    for (const bytes of [counted, chunked]) {
      for (let at = 1; at < bytes.length; at += 1) expect(parse([bytes.slice(0, at)], true).rest).toBeNull();
    }
  });

  test("reports the bytes that follow it", () => {
    expect(parse([`${counted}HTTP`]).rest).toBe(4);
    expect(parse([`${chunked}HTTP`]).rest).toBe(4);
  });

  test.for([
    ["HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n", false],
    ["HTTP/1.1 200 OK\r\nconnection: x, Close\r\ncontent-length: 0\r\n\r\n", false],
    ["HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", false],
    ["HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n", true],
    ["HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", false],
    ["HTTP/1.1 204 No Content\r\ncontent-length: 3\r\n\r\n", false],
  ] as const)("reports whether its connection can be used again: %s", ([bytes, keepsAlive]) => {
    expect(parse([bytes]).keepsAlive).toBe(keepsAlive);
  });
});

describe("malformed response", () => {
  test("is passed on up to the malformed chunk, wherever it is split", () => {
    const bytes = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\nz\r\nrest";
    for (let at = 1; at <= bytes.length; at += 1) {
      expect(bodyBeforeError([bytes.slice(0, at), bytes.slice(at)]), `split at ${at}`).toBe("hello!");
    }
  });

  const withHeaders = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;
  test.for([
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["another version", "HTTP/2.0 200 OK\r\n\r\n"],
    ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
    ["a switch of protocols", "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n"],
    ["bare line feeds", "HTTP/1.1 200 OK\ncontent-length: 0\n\n"],
    ["a folded header", withHeaders("x-a: 1", " 2")],
    ["a space before the colon", withHeaders("content-length : 2")],
    ["a header without a name", withHeaders(": 2")],
    ["a header without a colon", withHeaders("content-length")],
    ["a control character in a value", withHeaders("x-a: \u0000")],
    ["two lengths", withHeaders("content-length: 2", "content-length: 2")],
    ["a length and an encoding", withHeaders("content-length: 2", "transfer-encoding: chunked")],
    ["another encoding", withHeaders("transfer-encoding: gzip, chunked")],
    ["an encoding twice", withHeaders("transfer-encoding: chunked", "transfer-encoding: chunked")],
    ["a signed length", withHeaders("content-length: +2")],
    ["an empty length", withHeaders("content-length:")],
    ["a hexadecimal length", withHeaders("content-length: 0x2")],
    ["a length of many digits", withHeaders("content-length: 1234567890123456")],
    ["a chunk size that is not a number", `${withHeaders("transfer-encoding: chunked")}z\r\n`],
    ["an empty chunk size", `${withHeaders("transfer-encoding: chunked")}\r\n`],
    ["a negative chunk size", `${withHeaders("transfer-encoding: chunked")}-1\r\n`],
    ["a chunk size of many digits", `${withHeaders("transfer-encoding: chunked")}fffffffffffff\r\n`],
    ["a chunk size that ends with a line feed", `${withHeaders("transfer-encoding: chunked")}2\nok\r\n`],
    ["a chunk longer than its size", `${withHeaders("transfer-encoding: chunked")}2\r\nokay\r\n`],
    ["invalid trailers", `${withHeaders("transfer-encoding: chunked")}0\r\na b: 1\r\n\r\n`],
    ["a head that never ends", `HTTP/1.1 200 OK\r\nx-a: ${"a".repeat(17_000)}`],
    ["a chunk extension that never ends", `${withHeaders("transfer-encoding: chunked")}1;${"a".repeat(5_000)}`],
    ["trailers that never end", `${withHeaders("transfer-encoding: chunked")}0\r\nx-a: ${"a".repeat(17_000)}`],
    ["interim responses that never end", "HTTP/1.1 100 Continue\r\n\r\n".repeat(33)],
  ] as const)("is refused, whether it arrives at once or byte by byte: %s", ([, bytes]) => {
    expect(isMalformed(bytes)).toBe(true);
    expect(() => parse([...bytes])).toThrow(MalformedResponse);
  });

  test("is refused at its first wrong byte, before the head is complete", () => {
    for (const begun of ["X", "HTTP/1.1 200 OK\r\nbad header", "HTTP/1.1 200 OK\n", '{"choices":[]}']) {
      const bytes = begun === "HTTP/1.1 200 OK\r\nbad header" ? `${begun}\r\n` : begun;
      expect(() => parse([bytes]), bytes).toThrow(MalformedResponse);
    }
  });

  test("bytes without a request are refused", () => {
    const parser = new ResponseParser({ onHead: () => {}, onBody: () => {}, onComplete: () => {} });
    expect(() => parser.push(Buffer.from(counted))).toThrow(MalformedResponse);
  });
});

/** Makes responses that are valid, nearly valid, or neither. */
const someResponse = fc
  .record({
    version: fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.2", "http/1.1"),
    status: fc.constantFrom("200", "200", "200", "204", "304", "429", "500", "99", "2000"),
    reason: fc.constantFrom(" OK", "", " ", " a b", "\tOK"),
    lines: fc.array(
      fc.constantFrom(
        "content-length: 5",
        "content-length: 5",
        "Content-Length:5 ",
        "content-length: 05",
        "content-length: 5, 5",
        "content-length: -5",
        "transfer-encoding: chunked",
        "Transfer-Encoding: Chunked",
        "transfer-encoding: identity",
        "transfer-encoding: chunked, chunked",
        "x-a: b",
        "x-a : b",
        "x-a",
        " folded",
        "x-\u0080: b",
        "x-b: \u0080",
        "x-b: \u0001",
      ),
      { maxLength: 3 },
    ),
    end: fc.constantFrom("\r\n", "\r\n", "\r\n", "\n", "\r"),
    body: fc.constantFrom(
      "hello",
      "hello",
      "5\r\nhello\r\n0\r\n\r\n",
      "5\r\nhello\r\n0\r\nx: y\r\n\r\n",
      "5;a=b\r\nhello\r\n0\r\n\r\n",
      "5 \r\nhello\r\n0\r\n\r\n",
      "5\nhello\r\n0\r\n\r\n",
      "5\r\nhello\n0\r\n\r\n",
      "5\r\nhelloo\r\n0\r\n\r\n",
      "+5\r\nhello\r\n0\r\n\r\n",
      "05\r\nhello\r\n000\r\n\r\n",
      "",
    ),
  })
  .map(({ version, status, reason, lines, end, body }) => {
    const head = [`${version} ${status}${reason}`, ...lines].map((line) => line + end).join("");
    return `${head}${end}${body}`;
  });

test("never accepts a response that Node's parser refuses, and reads what both accept alike", () => {
  let both = 0;
  fc.assert(
    fc.property(someResponse, (bytes) => {
      let own: Parsed;
      try {
        own = parse([bytes], true);
      } catch {
        return;
      }
      // An incomplete response or one with bytes behind it is not used, so only complete ones must agree.
      if (own.rest !== 0) return;
      const { status, body } = own;
      const node = parseWithNode("RESPONSE", bytes, true);
      expect(node, JSON.stringify(bytes)).toMatchObject({ status, body, isComplete: true });
      both += 1;
    }),
    { numRuns: 20_000 },
  );
  expect(both).toBeGreaterThan(500);
});
