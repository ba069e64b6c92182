import { expect, test } from "vitest";
import { chooseTranscriptFormat } from "./transcript-formats.ts";

test.for([
  ["text", null, "json"],
  ["srt", null, "verbose_json"],
  ["vtt", ["json", "text", "srt", "vtt", "verbose_json"], "verbose_json"],
  ["verbose_json", null, "verbose_json"],
  ["srt", ["json", "srt"], "srt"],
] as const)(
  "%s, of the formats %j, is requested as %s, because usage is reported only in JSON",
  ([asked, formats, sent]) => {
    const supported = formats === null ? {} : { transcriptFormats: formats };
    expect(chooseTranscriptFormat("m", "whisper-1", { response_format: asked }, supported)).toBe(sent);
  },
);
