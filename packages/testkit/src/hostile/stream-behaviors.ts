import { setTimeout as pause } from "node:timers/promises";
import { type Behavior, streamFrames, trickle } from "../upstream-behaviors.ts";
import type { HostileBehavior, Outcome } from "./hostile-behavior.ts";
import { SOUND, USUAL, type Wire } from "./wires.ts";

const TEN_MEGABYTES = 10 * 1024 * 1024;
const EVENTS = { "content-type": "text/event-stream" };
const SHORT = { timeout: 0.3 };
/**
 * Outcome of a stream with an unreadable frame. If the client uses the same API format, the frame is relayed unchanged,
 * and the rest of the response is valid.
 */
const UNREADABLE: Record<Wire["name"], Outcome> = { openai: "sound", anthropic: "broken", gemini: "broken" };
const word = (index: number) => ["one ", "two ", "three ", "four "][index % 4] as string;

/** Streams with unusual framing. */
export const streamBehaviors: readonly HostileBehavior[] = [
  stream("cut after every byte", "sound", (wire) =>
    trickle(wire.frames(USUAL).join(""), { bytesPerWrite: 1, delayMs: 0, headers: EVENTS }),
  ),
  stream("cut after every seven bytes", "sound", (wire) =>
    trickle(wire.frames(USUAL).join(""), { bytesPerWrite: 7, delayMs: 0, headers: EVENTS }),
  ),
  stream("all at once", "sound", (wire) => streamFrames([wire.frames(USUAL).join("")])),
  text("with the line ends of Windows", "sound", (frames) => withLineEnds(frames, "\r\n")),
  text("with the line ends of old", "sound", (frames) => withLineEnds(frames, "\r")),
  text("with all line ends in turn", "sound", (frames) => {
    let index = 0;
    return withLineEnds(frames, "\n").replaceAll("\n\n", () => ["\r\n\r\n", "\n\n", "\r\r"][index++ % 3] as string);
  }),
  stream("with pairs of line ends cut in two", "sound", (wire) =>
    trickle(withLineEnds(wire.frames(USUAL), "\r\n"), { bytesPerWrite: 1, delayMs: 0, headers: EVENTS }),
  ),
  text("with a mark before it", "sound", (frames) => `\ufeff${frames.join("")}`),
  text("with comments all over", "sound", (frames) => frames.map((frame) => `: still here\n\n${frame}`).join("")),
  text("with ten thousand comments", "sound", (frames) => `${": hi\n\n".repeat(10_000)}${frames.join("")}`),
  text("with fields of its own", "sound", (frames) => `retry: 1\n\nid: 5\n\nx: y\n\n${frames.join("")}`),
  text("with no blank after the colon", "sound", (frames) => frames.join("").replaceAll("data: ", "data:")),
  text("with many blanks after the colon", "sound", (frames) => frames.join("").replaceAll("data: ", "data:    ")),
  text("with empty lines without end", "sound", (frames) => frames.join("\n\n\n\n\n")),
  text("with empty data", "decent", (frames) => frames.map((frame) => `data:\n\n${frame}`).join("")),
  text("with its data over two lines", "decent", (frames) =>
    frames.map((frame) => frame.replace(",", ",\ndata: ")).join(""),
  ),
  text("with zeros between its frames", "decent", (frames) => frames.join("\0\0\0")),
  text("with garbage between its frames", "decent", (frames) => frames.join("garbage\n\n")),
  text("without its closing mark", "sound", (frames) => frames.slice(0, frames.length > 3 ? -1 : undefined).join("")),
  text("without its end", "broken", (frames) => frames.slice(0, 2).join("")),
  text("that ends within a frame", "broken", (frames) => `${frames.slice(0, 2).join("")}data: {"id":"chatc`),
  text("that ends within a letter", "broken", (frames) => `${frames.slice(0, 2).join("")}data: {"text":"\ud83d`),
  text("of nothing", "refused", () => ""),
  text("of comments", "refused", () => ": empty comment\n\n".repeat(100)),
  text("of empty lines", "refused", () => "\n".repeat(10_000)),
  text("that begins with its end", "decent", (frames) => frames.at(-1) as string),
  text(
    "that ends twice",
    { openai: "sound", anthropic: "sound", gemini: "relayed" },
    (frames) => `${frames.join("")}${frames.at(-1)}`,
  ),
  text(
    "that goes on behind its end",
    { openai: "relayed", anthropic: "sound", gemini: "relayed" },
    (frames, wire) => `${frames.join("")}${wire.piece("POISON").repeat(5)}`,
  ),
  text("that is no JSON", UNREADABLE, (frames) => `${frames[0]}data: {oops}\n\n${frames.slice(1).join("")}`),
  text("that is a number", "decent", (frames) => `${frames[0]}data: 5\n\n${frames.slice(1).join("")}`),
  text("that is a list", "decent", (frames) => `${frames[0]}data: []\n\n${frames.slice(1).join("")}`),
  text("that is null", "decent", (frames) => `${frames[0]}data: null\n\n${frames.slice(1).join("")}`),
  text("nested too deeply", "decent", (frames) => `${frames[0]}data: ${"[".repeat(60_000)}\n\n${frames.at(-1)}`),
  text("with keys of every object", "decent", (frames) =>
    frames.map((frame) => frame.replace("{", '{"__proto__":{"error":{"message":"x"}},"constructor":1,')).join(""),
  ),
  text("with a failure first", "refused", () => 'data: {"error":{"message":"No.","type":"server_error"}}\n\n'),
  text(
    "with a failure midway",
    { openai: "broken", anthropic: "decent", gemini: "broken" },
    (frames) => `${frames.slice(0, 2).join("")}data: {"error":{"message":"No.","type":"server_error"}}\n\n`,
  ),
  ...["5", "[]", '"no"', "{}", '{"message":{"a":1},"code":[]}'].map((value) =>
    text(`with the failure ${value}`, "decent", (frames) => `${frames[0]}data: {"error":${value}}\n\n${frames.at(-1)}`),
  ),
  text("with a frame of ten megabytes", "refused", (_, wire) => wire.piece("x".repeat(TEN_MEGABYTES))),
  text(
    "with a frame of ten megabytes later",
    { openai: "broken", anthropic: "broken", gemini: "decent" },
    (frames, wire) => `${frames.slice(0, 2).join("")}${wire.piece("x".repeat(TEN_MEGABYTES))}`,
  ),
  text("with a line that never ends", "refused", () => `data: ${"x".repeat(TEN_MEGABYTES)}`),
  text("of ten megabytes of zeros", "refused", () => "\0".repeat(TEN_MEGABYTES)),
  stream("that breaks off after two frames", "broken", (wire) =>
    streamFrames(wire.frames(USUAL), { cutAfterFrames: 2 }),
  ),
  stream("that breaks off before its first frame", "refused", (wire) =>
    streamFrames(wire.frames(USUAL), { cutAfterFrames: 0 }),
  ),
  stream("that is reset within a frame", "broken", (wire) => async ({ response, socket }) => {
    response.writeHead(200, EVENTS);
    await new Promise((resolve) => response.write(wire.frames(USUAL).slice(0, 2).join(""), resolve));
    await new Promise((resolve) => response.write('data: {"half', resolve));
    setImmediate(() => socket.resetAndDestroy());
  }),
  stream("that falls silent", "broken", (wire) => streamFrames(wire.frames(USUAL), { hangAfterFrames: 2 }), {
    stream_timeout: 0.2,
  }),
  stream(
    "that is silent from the start",
    "refused",
    (wire) => streamFrames(wire.frames(USUAL), { hangAfterFrames: 0 }),
    {
      stream_timeout: 0.2,
    },
  ),
  stream("that drips without end", "broken", (wire) => drip([...wire.frames(USUAL).slice(0, 2)], ":"), SHORT),
  stream("that only ever says that it is there", "refused", () => drip([], ": hi\n\n"), SHORT),
  stream("that never stops talking", "cut", (wire) => endless(wire, 200), { max_tokens: 8 }),
  stream("that never stops talking, in large frames", "cut", (wire) => endless(wire, 20_000), { max_tokens: 8 }),
  stream("that says more than was asked", "relayed", (wire) => streamFrames(wire.frames(longer())), { max_tokens: 2 }),
  stream("whose choices have strange numbers", "decent", (wire) =>
    streamFrames(wire.frames(USUAL).map((frame) => frame.replaceAll('"index":0', '"index":1e9'))),
  ),
  stream("whose choices have numbers below zero", "decent", (wire) =>
    streamFrames(wire.frames(USUAL).map((frame) => frame.replaceAll('"index":0', '"index":-1'))),
  ),
  stream("whose choices have names", "decent", (wire) =>
    streamFrames(wire.frames(USUAL).map((frame) => frame.replaceAll('"index":0', '"index":"__proto__"'))),
  ),
];

function stream(
  name: string,
  outcome: HostileBehavior["outcome"],
  behave: (wire: Wire) => Behavior,
  request: object = {},
): HostileBehavior {
  return { name: `a stream ${name}`, isStream: true, outcome, behave, request: { ...request } };
}

/** A stream that is sent as a single write. */
function text(
  name: string,
  outcome: HostileBehavior["outcome"],
  write: (frames: readonly string[], wire: Wire) => string,
): HostileBehavior {
  return stream(name, outcome, (wire) => streamFrames([write(wire.frames(USUAL), wire)]));
}

function withLineEnds(frames: readonly string[], lineEnd: string): string {
  return frames.join("").replaceAll("\r\n", "\n").replaceAll("\n", lineEnd);
}

/** Builds a much longer response than requested, with a matching token count. */
function longer() {
  const pieces = [SOUND, ...Array.from({ length: 50 }, (_, index) => word(index))];
  return { pieces, usage: { input: "9", output: "55" } };
}

function drip(first: readonly string[], drop: string): Behavior {
  return async ({ response, gone }) => {
    response.writeHead(200, EVENTS);
    for (const frame of first) response.write(frame);
    while (!gone.aborted) {
      response.write(drop);
      await pause(20, undefined, { signal: gone });
    }
  };
}

function endless(wire: Wire, wordsPerFrame: number): Behavior {
  return async ({ response, gone }) => {
    response.writeHead(200, EVENTS);
    const frames = wire.frames(USUAL);
    if (wire.name === "anthropic") response.write(frames.slice(0, 2).join(""));
    const piece = wire.piece(Array.from({ length: wordsPerFrame }, (_, index) => word(index)).join(""));
    while (!gone.aborted) {
      if (!response.write(piece)) await new Promise((resolve) => response.once("drain", resolve));
      await pause(0, undefined, { signal: gone });
    }
  };
}
