import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { expect, test } from "vitest";
import { NO_PARTS } from "../../call/operation-kind.ts";
import { estimatePartTokens } from "./chat.ts";

const weigh = (...content: unknown[]) =>
  estimatePartTokens({ messages: [{ role: "user", content }] } as unknown as ChatRequest);

test("text parts add nothing to the part estimate, because text is estimated by its bytes", () => {
  expect(weigh({ type: "text", text: "hello" })).toEqual(NO_PARTS);
  expect(estimatePartTokens({ messages: [{ role: "user", content: "hello" }] } as ChatRequest)).toEqual(NO_PARTS);
});

test("an image is counted as one image inline and as a URL", () => {
  const data = `data:image/png;base64,${"A".repeat(1_000_000)}`;
  expect(weigh({ type: "image_url", image_url: { url: data } })).toEqual({
    ...NO_PARTS,
    bytes: data.length,
    images: 1,
  });
  expect(
    weigh(
      { type: "image_url", image_url: "https://x" },
      { type: "image_url", image_url: { url: "https://x/a.png?b" } },
    ),
  ).toEqual({ ...NO_PARTS, bytes: 26, images: 2 });
});

/** Returns the start of a WAV file in base64. */
function makeWav(format: number, samplesPerSecond: number): string {
  const wav = Buffer.alloc(3_000);
  wav.write("RIFF\0\0\0\0WAVEfmt ", 0, "latin1");
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(format, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(samplesPerSecond, 24);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36, "latin1");
  return wav.toString("base64");
}

const weighAudio = (data: string) => weigh({ type: "input_audio", input_audio: { data, format: "wav" } });
/** An MP3 frame with 128 kbit/s at 44,100 samples per second. */
const mp3Frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0xc0]), Buffer.alloc(413)]);
const mp3 = Buffer.concat(Array.from({ length: 9 }, () => mp3Frame));
/** Two formats: one sample per second, and 8,000. Decoders use the first. */
const twoFormats = Buffer.from(makeWav(1, 8_000), "base64");
twoFormats.copy(twoFormats, 60, 36);
twoFormats.copy(twoFormats, 36, 12, 36);
twoFormats.writeUInt32LE(1, 24);

test.for([
  ["an uncompressed WAV file", makeWav(1, 8_000)],
  ["an MP3 file", mp3.toString("base64")],
  [
    "an MP3 file with tags",
    Buffer.concat([Buffer.from("ID3\x04\0\0\0\0\x01\x02"), Buffer.alloc(130), mp3]).toString("base64"),
  ],
] as const)("%s is estimated by its size", ([, data]) => {
  expect(weighAudio(data)).toEqual({
    ...NO_PARTS,
    bytes: data.length,
    tokens: Math.ceil(data.length / 16),
    hasAudio: true,
  });
});

test.for([
  ["a compressed WAV file", makeWav(0x11, 8_000)],
  ["a compressed WAV file with an extensible header", makeWav(0xff_fe, 8_000)],
  ["a WAV file with one sample per second", makeWav(1, 1)],
  ["a FLAC file", Buffer.from("fLaC".padEnd(60)).toString("base64")],
  ["tags in front of another format", Buffer.from("ID3\x04\0\0\0\0\0\0fLaC".padEnd(60)).toString("base64")],
  [
    "a tag with a footer",
    Buffer.concat([Buffer.from("ID3\x04\0\x10\0\0\0\0"), mp3.subarray(0, 10), Buffer.from("fLaC")]).toString("base64"),
  ],
  ["an MP3 file with characters that a decoder may skip", `${mp3.toString("base64")}\n`],
  ["an MP3 file with characters that few decoders accept", `____${mp3.toString("base64")}`],
  ["one MP3 frame in front of another format", Buffer.concat([mp3Frame, Buffer.alloc(3_000, 1)]).toString("base64")],
  ["a WAV file with two formats", twoFormats.toString("base64")],
  ["data that is no recording", "AAAA"],
] as const)("%s can have any number of tokens", ([, data]) => {
  expect(weighAudio(data)).toEqual({ ...NO_PARTS, isUnbounded: true });
});

test("a text file is estimated by its bytes, like other text", () => {
  expect(weigh({ type: "file", file: { file_data: "data:text/plain;base64,AAAA" } })).toEqual(NO_PARTS);
});

test.for([
  ["a video by URL", { type: "video_url", video_url: { url: "https://x/film.mp4" } }],
  ["an inline video", { type: "video_url", video_url: "data:video/mp4;base64,AAAA" }],
  ["a video in an image part", { type: "image_url", image_url: { url: "data:video/mp4;base64,AAAA" } }],
  ["a video by URL in an image part", { type: "image_url", image_url: "https://x/film.MP4?token=1#t=2" }],
  ["a document in an image part", { type: "image_url", image_url: { url: "https://x/1", format: "application/pdf" } }],
  ["a video in a file part", { type: "file", file: { file_data: "data:video/mp4;base64,AAAA" } }],
  ["a document of a few bytes", { type: "file", file: { file_data: "data:application/pdf;base64,AAAA" } }],
  ["a file without a type", { type: "file", file: { file_data: "AAAA" } }],
  ["a video in a text part", { type: "text", text: "hello", uuid: "1", video_url: { url: "https://x/film.mp4" } }],
  ["a document next to an image", { type: "image_url", image_url: "https://x/a.png", file: { file_id: "1" } }],
  ["an image in unusual detail", { type: "image_url", image_url: { url: "https://x/a.png", detail: "original" } }],
  ["a video whose URL has characters to skip", { type: "image_url", image_url: "https://x/film.m\tp4 " }],
  ["a text file that also has an ID", { type: "file", file: { file_data: "data:text/plain,a", file_id: "1" } }],
  ["a video with an unusual data URL", { type: "image_url", image_url: " DATA:video/mp4;base64,AAAA" }],
  ["a video on a video site", { type: "image_url", image_url: "https://www.youtube.com/watch?v=1" }],
  ["a video with an ending slash", { type: "image_url", image_url: "https://x/film.mp4/" }],
  ["a video in another format", { type: "image_url", image_url: "https://x/film.mkv" }],
  [
    "a document that is called text",
    { type: "file", file: { file_data: "data:text/plain,a", format: "application/pdf" } },
  ],
  [
    "a text file that is named as a document",
    { type: "file", file: { file_data: "data:text/plain,a", filename: "a.pdf" } },
  ],
  ["a recording by URL", { type: "input_audio", input_audio: { data: mp3.toString("base64"), url: "https://x" } }],
  ["a file by reference", { type: "file", file: { file_id: "https://x/book.pdf" } }],
] as const)("%s can have any number of tokens", ([, part]) => {
  expect(weigh({ type: "text", text: "hello" }, part)).toEqual({ ...NO_PARTS, isUnbounded: true });
});

test("a reference to earlier audio can have any number of tokens", () => {
  const messages = [{ role: "assistant", audio: { id: "audio_1" } }];
  expect(estimatePartTokens({ messages } as unknown as ChatRequest)).toEqual({ ...NO_PARTS, isUnbounded: true });
});

test("media outside of a message's content can have any number of tokens", () => {
  const images = [{ type: "image_url", image_url: { url: "https://x/film.mp4" } }];
  const messages = [{ role: "assistant", content: "hello", images }];
  expect(estimatePartTokens({ messages } as unknown as ChatRequest)).toEqual({ ...NO_PARTS, isUnbounded: true });
  const call = { id: "1", type: "function", function: { name: "a", arguments: "{}" } };
  const plain = [{ role: "assistant", content: null, tool_calls: [call], reasoning_content: "hm", name: "a" }];
  expect(estimatePartTokens({ messages: plain } as unknown as ChatRequest)).toEqual(NO_PARTS);
});

test("a request for audio output has audio", () => {
  const messages = [{ role: "user", content: "hello" }];
  for (const fields of [{ modalities: ["text", "audio"] }, { audio: { voice: "a" } }]) {
    expect(estimatePartTokens({ messages, ...fields } as unknown as ChatRequest).hasAudio).toBe(true);
  }
});

test("a URL with a million slashes does not block the event loop", () => {
  expect(weigh({ type: "image_url", image_url: `https://x${"/".repeat(1_000_000)}film` }).images).toBe(1);
});

test("the name of a built-in property is no file extension", () => {
  expect(weigh({ type: "image_url", image_url: "https://x/film.constructor" }).images).toBe(1);
});
