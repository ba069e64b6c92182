import { brotliCompressSync, gzipSync } from "node:zlib";
import { type Behavior, cutBeforeHeaders, hang, reply, replyRaw } from "../upstream-behaviors.ts";
import type { HostileBehavior } from "./hostile-behavior.ts";
import { USUAL, type Wire } from "./wires.ts";

const SHORT = { timeout: 0.25 };
const MEGABYTE = 1024 * 1024;

/** Failures that occur before the response body is parsed. */
export const httpBehaviors: readonly HostileBehavior[] = [
  ...inBothForms("a brotli answer", "refused", () => encoded("br", brotliCompressSync("{}"))),
  ...inBothForms("a gzip bomb", "refused", () => encoded("gzip", gzipSync(Buffer.alloc(10 * MEGABYTE)))),
  ...inBothForms("an answer compressed five times", "refused", () => encoded("gzip, gzip, gzip, gzip, gzip", "x")),
  ...inBothForms("a zstd answer", "refused", () => encoded("zstd", "(\u00b5/\u00fd")),
  ...inBothForms("an unknown encoding", "refused", () => encoded("x-rot13", "{}")),
  ...inBothForms("a compressed failure", "refused", () => reply(500, "x", { "content-encoding": "deflate" })),
  ...inBothForms("a page", "refused", () => reply(200, "<html>It works!</html>", { "content-type": "text/html" })),
  whole("an answer of no type", "sound", (wire) => reply(200, wire.whole(USUAL), { "content-type": "" })),
  stream("a stream of no type", "refused", (wire) => frames(wire, { "content-type": "" })),
  whole("events where JSON was asked", "refused", (wire) => frames(wire)),
  stream("JSON where events were asked", "refused", (wire) => reply(200, wire.whole(USUAL))),
  ...inBothForms("another protocol", "refused", () => replyRaw("SSH-2.0-OpenSSH_9.6\r\n")),
  ...inBothForms("the preface of HTTP/2", "refused", () => replyRaw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")),
  ...inBothForms("binary garbage", "refused", () => replyRaw(Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10]))),
  ...inBothForms("a body without a head", "refused", (wire) => replyRaw(wire.whole(USUAL))),
  ...inBothForms("one endless header", "refused", () => replyRaw(head(`x-filler: ${"x".repeat(200_000)}`))),
  ...inBothForms("ten thousand headers", "refused", () => replyRaw(head(...headers(10_000)))),
  ...inBothForms("a header with a line feed in it", "decent", (wire) => withHeader(wire, "x-a: 1\n folded")),
  ...inBothForms("a header with a zero in it", "refused", (wire) => withHeader(wire, "x-a: \0")),
  ...inBothForms("two lengths", "refused", () => replyRaw(`${head("content-length: 2", "content-length: 3")}{}x`)),
  ...inBothForms("a length and chunks", "refused", () =>
    replyRaw(`${head("content-length: 2", "transfer-encoding: chunked")}2\r\n{}\r\n0\r\n\r\n`),
  ),
  ...inBothForms("chunks of no size", "refused", () => replyRaw(`${head("transfer-encoding: chunked")}zz\r\n{}\r\n`)),
  ...inBothForms("a chunk larger than memory", "refused", () =>
    replyRaw(`${head("transfer-encoding: chunked")}ffffffffffffffffff\r\n{}`),
  ),
  ...inBothForms("a length below zero", "refused", () => replyRaw(`${head("content-length: -1")}{}`)),
  ...inBothForms("a length beyond numbers", "refused", () =>
    replyRaw(`${head(`content-length: ${"9".repeat(40)}`)}{}`),
  ),
  whole("less than it says", "refused", (wire) => withLength(wire, 10_000), SHORT),
  whole("more than it says", "refused", (wire) => withLength(wire, 40)),
  ...inBothForms("a redirect", "refused", () => reply(307, "", { location: "http://127.0.0.1:9/" })),
  ...inBothForms("a redirect for good", "refused", () => reply(301, "", { location: "file:///etc/passwd" })),
  ...inBothForms("no content", "refused", () => replyRaw("HTTP/1.1 204 No Content\r\n\r\n")),
  ...inBothForms("nothing new", "refused", () => replyRaw("HTTP/1.1 304 Not Modified\r\n\r\n")),
  ...inBothForms("another protocol from here on", "refused", () =>
    replyRaw("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
  ),
  ...inBothForms("a status that does not exist", "refused", () =>
    replyRaw("HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n"),
  ),
  whole("hints before the answer", "sound", (wire) => interim(wire, 1)),
  whole("a thousand hints before the answer", "refused", (wire) => interim(wire, 1_000)),
  whole("an unrequested 100 Continue", "decent", (wire) => raw(`HTTP/1.1 100 Continue\r\n\r\n${wholeOf(wire)}`)),
  ...inBothForms("a break instead of an answer", "refused", () => cutBeforeHeaders()),
  ...inBothForms(
    "a reset instead of an answer",
    "refused",
    () =>
      ({ socket }) =>
        void socket.resetAndDestroy(),
  ),
  ...inBothForms(
    "a quiet end instead of an answer",
    "refused",
    () =>
      ({ socket }) =>
        void socket.end(),
  ),
  ...inBothForms("a break within the head", "refused", () => cutAfter("HTTP/1.1 200 OK\r\ncontent-ty")),
  ...inBothForms("silence", "refused", () => hang(), SHORT),
  ...inBothForms(
    "silence within the head",
    "refused",
    () =>
      ({ socket }) =>
        void socket.write("HTTP/1.1 200"),
    SHORT,
  ),
  whole(
    "silence after the head",
    "refused",
    () =>
      ({ socket }) =>
        void socket.write(head("content-length: 9")),
    SHORT,
  ),
  whole("an answer to a request it has not read", "sound", (wire) => ({ socket }) => {
    socket.write(wholeOf(wire), "latin1", () => socket.destroy());
  }),
  whole("keeps the connection, it says, and closes it", "sound", (wire) => ({ socket }) => {
    socket.end(wholeOf(wire, "connection: keep-alive", "keep-alive: timeout=60"), "latin1");
  }),
  whole("closes the connection, it says, and keeps it", "sound", (wire) => raw(wholeOf(wire, "connection: close"))),
  whole("keeps the connection for no time", "sound", (wire) => raw(wholeOf(wire, "keep-alive: timeout=0"))),
  whole("keeps the connection for ever", "sound", (wire) => raw(wholeOf(wire, "keep-alive: timeout=1e999"))),
  whole("a second answer behind the first", "sound", (wire) => raw(wholeOf(wire) + poison)),
  whole("a failure behind the answer", "sound", (wire) => raw(`${wholeOf(wire)}HTTP/1.1 500 No\r\n\r\n`)),
  whole("garbage behind the answer", "sound", (wire) => raw(`${wholeOf(wire)}\0\0\0garbage`)),
  whole("an empty line behind the answer", "sound", (wire) => raw(`${wholeOf(wire)}\r\n`)),
  ...inBothForms("a failure of ten megabytes", "refused", () => reply(500, Buffer.alloc(10 * MEGABYTE, 120))),
  ...inBothForms("a failure that is a page", "refused", () => reply(502, "<html>Bad Gateway</html>")),
  ...inBothForms("a failure nested too deeply", "refused", () => reply(400, `{"error":${"[".repeat(60_000)}`)),
  ...inBothForms("a failure in no known letters", "refused", () => reply(400, Buffer.from([123, 255, 254, 0, 125]))),
  ...inBothForms("a failure with keys of every object", "refused", () =>
    reply(400, '{"error":{"__proto__":{"code":"x"},"constructor":1,"message":{"toString":1},"type":[],"code":{}}}'),
  ),
  ...["1e99", "-5", "Infinity", "tomorrow", `${"9".repeat(400)}`].flatMap((after) =>
    inBothForms(`wait for ${after.slice(0, 12)} seconds`, "refused", () => reply(429, "{}", { "retry-after": after })),
  ),
];

const poison = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{"no":"no"}';

function whole(
  name: string,
  outcome: HostileBehavior["outcome"],
  behave: (wire: Wire) => Behavior,
  request: object = {},
): HostileBehavior {
  return { name, isStream: false, outcome, behave, request: { ...request } };
}

function stream(
  name: string,
  outcome: HostileBehavior["outcome"],
  behave: (wire: Wire) => Behavior,
  request: object = {},
): HostileBehavior {
  return { ...whole(name, outcome, behave, request), isStream: true };
}

function inBothForms(
  name: string,
  outcome: HostileBehavior["outcome"],
  behave: (wire: Wire) => Behavior,
  request: object = {},
): HostileBehavior[] {
  return [whole(name, outcome, behave, request), stream(`${name}, for a stream`, outcome, behave, request)];
}

function encoded(encoding: string, body: string | Uint8Array): Behavior {
  return reply(200, body, { "content-encoding": encoding });
}

function frames(wire: Wire, headers: Record<string, string> = {}): Behavior {
  return reply(200, wire.frames(USUAL).join(""), { "content-type": "text/event-stream", ...headers });
}

function head(...lines: string[]): string {
  return `${["HTTP/1.1 200 OK", "content-type: application/json", ...lines].join("\r\n")}\r\n\r\n`;
}

function headers(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `x-${index}: ${index}`);
}

function raw(text: string): Behavior {
  return replyRaw(Buffer.from(text, "latin1"));
}

/** Returns a correct response as raw HTTP. */
function wholeOf(wire: Wire, ...lines: string[]): string {
  const body = Buffer.from(wire.whole(USUAL));
  return head(`content-length: ${body.length}`, ...lines) + body.toString("latin1");
}

function withHeader(wire: Wire, line: string): Behavior {
  return raw(wholeOf(wire, line));
}

function withLength(wire: Wire, length: number): Behavior {
  return replyRaw(Buffer.from(head(`content-length: ${length}`) + wire.whole(USUAL)));
}

function interim(wire: Wire, count: number): Behavior {
  const hint = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
  return raw(hint.repeat(count) + wholeOf(wire));
}

function cutAfter(text: string): Behavior {
  return ({ socket }) => void socket.write(text, () => setImmediate(() => socket.destroy()));
}
