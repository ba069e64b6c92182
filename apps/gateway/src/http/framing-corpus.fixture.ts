import { MASTER_KEY } from "../test-gateway.fixture.ts";
import { CHAT_BODY, inChunks } from "./raw-client.fixture.ts";

/**
 * Expected outcome of a payload and of the request that follows it on the same connection. `accepted`: both get a
 * response. `last`: the payload gets a response, and the connection closes. `refused`: the payload gets at most a
 * refusal, and the connection closes.
 */
type Outcome = "accepted" | "last" | "refused";

export interface FramingCase {
  readonly name: string;
  readonly bytes: string;
  readonly outcome: Outcome;
}

const N = CHAT_BODY.length;
const CHUNKS = inChunks(CHAT_BODY, 16);
const TARGET = "/v1/chat/completions";

interface Shape {
  readonly line?: string;
  /** Header lines between the default headers and the framing headers. */
  readonly headers?: readonly string[];
  readonly framing?: readonly string[];
  readonly host?: readonly string[];
  readonly body?: string;
}

/** Returns a chat call that is well formed except for the given replacements. */
function call(shape: Shape): string {
  const lines = [
    shape.line ?? `POST ${TARGET} HTTP/1.1`,
    ...(shape.host ?? ["host: gateway.test"]),
    `x-gw-api-key: ${MASTER_KEY}`,
    "content-type: application/json",
    ...(shape.headers ?? []),
    ...(shape.framing ?? [`content-length: ${N}`]),
  ];
  return `${lines.join("\r\n")}\r\n\r\n${shape.body ?? CHAT_BODY}`;
}

/** Returns payloads that two chained servers might split differently, and similar harmless payloads. */
export function framingCorpus(): FramingCase[] {
  return [
    ...lengths(),
    ...lengthAndCoding(),
    ...codings(),
    ...chunks(),
    ...trailers(),
    ...unreadBodies(),
    ...lineEnds(),
    ...controlBytes(),
    ...versions(),
    ...upgrades(),
    ...methods(),
    ...targets(),
    ...names(),
    ...repeats(),
    ...sizes(),
    ...hosts(),
    ...expectations(),
    ...connections(),
    ...notHttp(),
  ];
}

const family =
  (title: string, outcome: Outcome, build: (spelling: string) => string) =>
  (...spellings: readonly string[]): FramingCase[] =>
    spellings.map((spelling) => ({
      name: `${title} ${JSON.stringify(spelling.slice(0, 60))}`,
      bytes: build(spelling),
      outcome,
    }));

function lengths(): FramingCase[] {
  const length = (spelling: string) => call({ framing: [`content-length:${spelling}`] });
  const pair = (spelling: string) => {
    const [first, second] = spelling.split("|");
    return call({ framing: [`${first}`, "x-between: 1", `${second}`] });
  };
  return [
    ...family("length", "accepted", length)(`${N}`, ` ${N}`, ` ${N} `, `\t${N}\t`, ` 000${N}`),
    ...family("length", "refused", length)("", " ", ` +${N}`, ` -${N}`, ` ${N},${N}`, ` ${N}, ${N}`, ` ${N};${N}`),
    ...family("length", "refused", length)(` 0x${N.toString(16)}`, ` ${N}.0`, ` ${N}e0`, ` ${N} ${N}`, ` "${N}"`),
    ...family("length", "refused", length)(` ${N}\x0b`, ` \x0b${N}`, ` ${N}\x0c`, ` ${N}\x00`, ` ${N}\x7f`, " NaN"),
    ...family("length", "refused", length)(" 18446744073709551616", ` ${"9".repeat(40)}`, " 1e3", ` ${N}_0`, " \xb2"),
    ...family("lengths", "refused", pair)(
      `content-length: ${N}|content-length: ${N}`,
      `content-length: ${N}|content-length: 0`,
      `Content-Length: ${N}|CONTENT-LENGTH: ${N}`,
      `content-length: 0|content-length: ${N}`,
      `content-length: ${N}|content-length:`,
    ),
  ];
}

function lengthAndCoding(): FramingCase[] {
  const both = (spelling: string) => call({ framing: spelling.split("|"), body: CHUNKS });
  const codingNames = ["chunked", "Chunked", "identity", "gzip, chunked"];
  return family("length and coding", "refused", both)(
    ...codingNames.map((coding) => `content-length: ${CHUNKS.length}|transfer-encoding: ${coding}`),
    ...codingNames.map((coding) => `transfer-encoding: ${coding}|content-length: ${CHUNKS.length}`),
    "content-length: 0|transfer-encoding: chunked",
    `transfer-encoding: chunked|x-between: 1|content-length: ${N}`,
  );
}

function codings(): FramingCase[] {
  const coding = (spelling: string) => call({ framing: [`transfer-encoding:${spelling}`], body: CHUNKS });
  const line = (spelling: string) => call({ framing: [spelling], body: CHUNKS });
  return [
    ...family("coding", "accepted", coding)(" chunked", "chunked", " Chunked", " CHUNKED", "\tchunked ", "  chunked  "),
    ...family("coding", "refused", coding)(
      " identity",
      " xchunked",
      " chunkedx",
      " chunked, identity",
      " gzip, chunked",
    ),
    ...family("coding", "refused", coding)(
      " gzip,chunked",
      " chunked, chunked",
      " chunked;q=1",
      " 'chunked'",
      " deflate",
    ),
    ...family("coding", "refused", coding)(' "chunked"', " \x0bchunked", " chunked\x0b", "", " ", " ,", " chun ked"),
    ...family("coding", "refused", coding)(" chunked,", " ,chunked", " chunked\x00", " \xa0chunked", " chunked\x80"),
    ...family("coding line", "refused", line)(
      "transfer-encoding : chunked",
      "transfer-encoding\t: chunked",
      "transfer_encoding: chunked",
      " transfer-encoding: chunked",
      "transfer-encoding\x00: chunked",
      "transfer-encoding: chunked\r\ntransfer-encoding: chunked",
      "transfer-encoding: chunked\r\nTransfer-Encoding: identity",
      "transfer-encoding: identity\r\ntransfer-encoding: chunked",
      "transfer-encoding:\r\n chunked",
      "transfer-encoding:\nchunked",
      "x: y\ntransfer-encoding: chunked",
    ),
  ];
}

function chunks(): FramingCase[] {
  const size = N.toString(16);
  const sized = (spelling: string) =>
    call({ framing: ["transfer-encoding: chunked"], body: `${spelling}\r\n${CHAT_BODY}\r\n0\r\n\r\n` });
  const body = (spelling: string) => call({ framing: ["transfer-encoding: chunked"], body: spelling });
  return [
    ...family("chunk size", "accepted", sized)(size, `0${size}`, `000${size}`, `${size};a=b`, `${size};a="b"`),
    ...family("chunk size", "refused", sized)("", "zz", `-${size}`, `+${size}`, `0x${size}`, ` ${size}`, "g", "\x00"),
    ...family("chunk size", "refused", sized)(
      "fffffffffffffffff",
      `${size}\x00`,
      `${size}\x0b`,
      `${size},1`,
      `${size}.0`,
    ),
    ...family("chunk size", "refused", sized)((N - 1).toString(16), (N + 1).toString(16), `${size};a\nb`, `${size}\r`),
    ...family("chunk size", "refused", sized)(`${size};${"a".repeat(20_000)}`),
    ...family("chunked body", "refused", body)(
      `${size}\n${CHAT_BODY}\n0\n\n`,
      `${size}\r\n${CHAT_BODY}\n0\r\n\r\n`,
      `${size}\r\n${CHAT_BODY}0\r\n\r\n`,
      `${size}\r\n${CHAT_BODY}\r\n0\n\r\n`,
      `${size}\r\n${CHAT_BODY}\r\n0\r\n\n`,
      `${size}\r\n${CHAT_BODY}\rX0\r\n\r\n`,
      `${size}\r\n${CHAT_BODY}\r\n-0\r\n\r\n`,
    ),
  ];
}

function trailers(): FramingCase[] {
  const trailer = (spelling: string) =>
    call({
      framing: ["transfer-encoding: chunked"],
      body: `${N.toString(16)}\r\n${CHAT_BODY}\r\n0\r\n${spelling}\r\n\r\n`,
    });
  return [
    ...family("trailer", "accepted", trailer)("x-checksum: 1", "host: elsewhere.test", "x-gw-api-key: sk-other"),
    ...family("trailer", "refused", trailer)("content-length: 5", "transfer-encoding: chunked", "x a: 1", "x-a: 1\n"),
    ...family("trailer", "refused", trailer)(
      "x-a: 1\r\n folded",
      "x-a\x00: 1",
      "no colon",
      `x-a: ${"a".repeat(40_000)}`,
    ),
  ];
}

function unreadBodies(): FramingCase[] {
  const chunked = (spelling: string) => call({ line: spelling, framing: ["transfer-encoding: chunked"], body: CHUNKS });
  const counted = (spelling: string) => call({ line: spelling });
  const lines = ["GET /x HTTP/1.1", "POST /x HTTP/1.1", `OPTIONS ${TARGET} HTTP/1.1`, `GET ${TARGET} HTTP/1.1`];
  return [
    ...family("unread chunks", "last", chunked)(...lines),
    ...family("unread body", "accepted", counted)(...lines.slice(0, 2)),
  ];
}

function lineEnds(): FramingCase[] {
  const header = (spelling: string) => call({ headers: [spelling] });
  const whole = call({});
  return [
    ...family("folded line", "refused", header)("x-a: b\r\n c", "x-a: b\r\n\tc", "x-a:\r\n b", "x-a: b\r\n \r\n c"),
    ...family("bare end of line", "refused", header)(
      "x-a: b\nx-c: d",
      "x-a: b\rx-c: d",
      "x-a: b\r\r",
      "x-a: b\n\n",
      "\n",
    ),
    ...family("bare end of line", "refused", header)("x-a\n: b", "x-a\r: b", "x-a: b\n\rx-c: d", "\r"),
    { name: "all lines end in a bare LF", bytes: whole.replaceAll("\r\n", "\n"), outcome: "refused" },
    { name: "all lines end in CR", bytes: whole.replaceAll("\r\n", "\r"), outcome: "refused" },
    { name: "request line ends in a bare LF", bytes: whole.replace("\r\n", "\n"), outcome: "refused" },
    { name: "request line ends in CR", bytes: whole.replace("\r\n", "\r"), outcome: "refused" },
    { name: "head ends in a bare LF", bytes: whole.replace("\r\n\r\n", "\r\n\n"), outcome: "refused" },
    { name: "head ends in two bare LFs", bytes: whole.replace("\r\n\r\n", "\n\n"), outcome: "refused" },
    { name: "empty lines before the request line", bytes: `\r\n\r\n${whole}`, outcome: "accepted" },
  ];
}

function controlBytes(): FramingCase[] {
  const controls = ["\x00", "\x01", "\x08", "\x0b", "\x0c", "\x1b", "\x7f"];
  return [
    ...family("control byte in a name", "refused", (byte) => call({ headers: [`x-${byte}a: b`] }))(...controls),
    ...family("control byte in a value", "refused", (byte) => call({ headers: [`x-a: b${byte}c`] }))(...controls),
    ...family("control byte in a target", "refused", (byte) => call({ line: `POST /v1${byte} HTTP/1.1` }))(...controls),
    ...family("control byte in a method", "refused", (byte) => call({ line: `PO${byte}ST ${TARGET} HTTP/1.1` }))(
      ...controls,
    ),
  ];
}

function versions(): FramingCase[] {
  const version = (spelling: string) => call({ line: `POST ${TARGET} ${spelling}` });
  const bodiless = (spelling: string) => call({ line: `GET /x ${spelling}`, framing: [], body: "" });
  const old = (spelling: string) =>
    call({ line: `POST ${TARGET} HTTP/1.0`, framing: spelling.split("|"), body: CHAT_BODY });
  return [
    ...family("version", "refused", version)("HTTP/1.2", "HTTP/2.0", "HTTP/0.9", "HTTP/3.0", "HTTP/1.10", "HTTP/1.1.1"),
    ...family("version", "refused", version)("HTTP/1,1", "http/1.1", "HTTP/ 1.1", "HTTPS/1.1", "HTTP/11", "HTTP/1."),
    ...family("version", "refused", version)("HTTP/x.y", "", "HTTP", "RTSP/1.0", "ICE/1.0", "HTTP/1.1 HTTP/1.1"),
    ...family("version without a body", "refused", bodiless)("HTTP/0.9", "HTTP/2.0", "HTTP/1.2", ""),
    ...family("version without a body", "last", bodiless)("HTTP/1.0", "RTSP/1.0"),
    ...family("version without a body", "accepted", bodiless)("HTTP/1.0\r\nconnection: keep-alive"),
    ...family("1.0 with a body", "refused", old)(
      `content-length: ${N}`,
      `connection: keep-alive|content-length: ${N}`,
      "content-length: 0",
      "transfer-encoding: chunked",
      "connection: keep-alive|transfer-encoding: chunked",
    ),
  ];
}

function upgrades(): FramingCase[] {
  const upgrade = (spelling: string) => call({ headers: spelling.split("|") });
  const bodiless = (spelling: string) =>
    call({ line: "GET /x HTTP/1.1", headers: spelling.split("|"), framing: [], body: "" });
  const spellings = [
    "connection: upgrade|upgrade: websocket",
    "Connection: Upgrade, HTTP2-Settings|Upgrade: h2c|HTTP2-Settings: AAMAAABkAAQAAP__",
    "connection: upgrade|upgrade: TLS/1.0",
    "connection: keep-alive, upgrade|upgrade: foo",
    "upgrade: websocket",
    "upgrade:|connection: upgrade",
    "connection: upgrade|upgrade: h2c|upgrade: websocket",
  ];
  return [
    ...family("upgrade", "refused", upgrade)(...spellings),
    ...family("upgrade without a body", "refused", bodiless)(...spellings),
    ...family("nothing to upgrade to", "accepted", upgrade)("connection: upgrade"),
  ];
}

function methods(): FramingCase[] {
  const method = (spelling: string) => call({ line: `${spelling} ${TARGET} HTTP/1.1` });
  return [
    ...family("method", "accepted", method)("PUT", "DELETE", "PATCH", "PURGE", "QUERY", "OPTIONS", "SOURCE"),
    ...family("method", "refused", method)("TRACE", "CONNECT", "post", "Post", "FOO", "PRI", "", "POST\t", "P\xd6ST"),
    ...family("method", "refused", method)("POST,GET", "GETPOST", "ANNOUNCE", "DESCRIBE"),
    { name: "CONNECT to an authority", bytes: "CONNECT gateway.test:443 HTTP/1.1\r\n\r\n", outcome: "refused" },
  ];
}

function targets(): FramingCase[] {
  const target = (spelling: string) => call({ line: `POST ${spelling} HTTP/1.1` });
  return [
    ...family("target", "refused", target)(`http://gateway.test${TARGET}`, `https://elsewhere.test${TARGET}`, "*", ""),
    ...family("target", "refused", target)(
      "gateway.test:443",
      `x${TARGET}`,
      `${TARGET} /x`,
      `${TARGET}\t`,
      `/${"a".repeat(4_096)}`,
    ),
    ...family("target", "refused", target)(
      `/v1/\xe9${TARGET}`,
      `/v1/"${"\x80"}"`,
      `ftp://x${TARGET}`,
      `http:${TARGET}`,
    ),
    ...family("target", "accepted", target)(
      `/${TARGET}`,
      `${TARGET}/`,
      `/v1/..${TARGET}`,
      `${TARGET}#x`,
      `${TARGET}%00`,
    ),
    ...family("target", "accepted", target)(
      `${TARGET}?x=1`,
      `/v1${TARGET}`,
      `/engines/%2e%2e/chat/completions`,
      `/engines/%zz/chat/completions`,
    ),
  ];
}

function names(): FramingCase[] {
  const header = (spelling: string) => call({ headers: [spelling] });
  return [
    ...family("header", "refused", header)("x a: b", "x-a : b", "x-a\t: b", " x-a: b", "\tx-a: b", ": b", "no colon"),
    ...family("header", "refused", header)(
      "x_a: b",
      "_: b",
      "content_length: 5",
      "x_gw_api_key: sk-other",
      "__proto__: b",
    ),
    ...family("header", "refused", header)(
      "x@a: b",
      "x(a): b",
      '"x": b',
      "x/a: b",
      "x\xe9: b",
      "x;a: b",
      "x[0]: b",
      "{x}: b",
    ),
    ...family("header", "accepted", header)(
      "x-a:b",
      "x-a:",
      "x-a:  b  ",
      "X-A: \xe9\xff",
      "constructor: x",
      "x!#$%&'*+.^`|~: b",
    ),
  ];
}

function repeats(): FramingCase[] {
  const twice = (spelling: string) => call({ headers: [spelling, spelling] });
  return [
    ...family("twice", "refused", twice)(
      "host: gateway.test",
      "content-type: application/json",
      "content-encoding: identity",
    ),
    ...family("twice", "refused", twice)("expect: 100-continue", "upgrade: x", "origin: null", "x-gw-hops: 0"),
    ...family("twice", "refused", twice)(
      "x-gw-call-id: a",
      "x-gw-timeout: 5",
      "x-gw-stream-timeout: 5",
      "x-gw-tags: a",
    ),
    ...family("twice", "refused", twice)(
      `x-gw-api-key: ${MASTER_KEY}`,
      "authorization: Bearer sk-x",
      "x-api-key: a",
      "api-key: a",
    ),
    ...family("twice", "accepted", twice)("x-forwarded-for: 10.0.0.1", "accept: */*", "x-unknown: 1", "cookie: a=b"),
  ];
}

function sizes(): FramingCase[] {
  const many = (count: string) =>
    call({ headers: Array.from({ length: Number(count) - 4 }, (_, index) => `x-${index}: 1`) });
  const value = (length: string) => call({ headers: [`x-a: ${"a".repeat(Number(length))}`] });
  const block = (length: string) =>
    call({ headers: Array.from({ length: Number(length) / 1_000 }, (_, index) => `x-${index}: ${"a".repeat(990)}`) });
  return [
    ...family("headers", "accepted", many)("64"),
    ...family("headers", "refused", many)("65", "66", "200", "2500"),
    ...family("bytes in a value", "accepted", value)("8192"),
    ...family("bytes in a value", "refused", value)("8193", "32768", "100000"),
    ...family("bytes of headers", "accepted", block)("30000"),
    ...family("bytes of headers", "refused", block)("33000", "64000"),
    ...family("bytes in a name", "refused", (length) => call({ headers: [`${"x".repeat(Number(length))}: b`] }))(
      "40000",
    ),
  ];
}

function hosts(): FramingCase[] {
  const host = (spelling: string) => call({ host: [`host:${spelling}`] });
  return [
    ...family("host", "accepted", host)(" gateway.test:4000", " 127.0.0.1", " [::1]:4000", " GATEWAY.test"),
    ...family("host", "refused", host)(
      "",
      " a b",
      " a,b",
      " a/b",
      " user@gateway.test",
      " gateway.test#x",
      " [::1",
      " a:b",
    ),
    ...family("host", "refused", host)(
      ` ${"a".repeat(300)}`,
      " gateway.test:999999",
      " http://gateway.test",
      " \xe9",
      " ?",
    ),
    { name: "no host", bytes: call({ host: [] }), outcome: "refused" },
  ];
}

function expectations(): FramingCase[] {
  const expectation = (spelling: string) => call({ headers: [`expect: ${spelling}`] });
  return [
    ...family("expect", "accepted", expectation)("100-continue", "100-Continue"),
    ...family("expect", "refused", expectation)("200-ok", "", "100-continue, foo", "100-continue;q=1", "x100-continue"),
  ];
}

function connections(): FramingCase[] {
  const connection = (spelling: string) => call({ headers: [`connection: ${spelling}`] });
  return [
    ...family("connection", "last", connection)("close", "Close", "close, keep-alive", "keep-alive, close"),
    ...family("connection", "accepted", connection)("keep-alive", "te", "x-gw-api-key", "content-length"),
  ];
}

function notHttp(): FramingCase[] {
  return family("not HTTP", "refused", (bytes) => bytes)(
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "SSH-2.0-OpenSSH_9.6\r\n",
    "PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n",
    "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HELO gateway.test\r\n",
    "*1\r\n$4\r\nPING\r\n",
    "GET /\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
    CHAT_BODY,
    "\x00".repeat(64),
    "\xff\xfe".repeat(64),
    " ".repeat(100),
  );
}
