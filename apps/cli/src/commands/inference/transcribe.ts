import { basename } from "node:path";
import { defineCommand } from "../../command.ts";
import { printable } from "../../output/printable.ts";
import { chosenModel, modelFlag } from "./model-flag.ts";
import { noteCall } from "./note-call.ts";
import { readBytes } from "./read-text.ts";

/** The `tollgate transcribe` command. */
export const transcribe = defineCommand({
  examples: [
    "tollgate transcribe meeting.mp3 -m sim/transcribe",
    "tollgate transcribe talk.wav -m sim/transcribe --format srt >talk.srt",
  ],
  arguments: [{ name: "file", description: "Audio file" }],
  flags: {
    model: modelFlag,
    language: { type: "string", value: "CODE", description: "Language, such as en; detected by default" },
    prompt: { type: "string", value: "TEXT", description: "Names and terms that may occur in the audio" },
    format: {
      type: "string",
      value: "FORMAT",
      choices: ["text", "srt", "vtt", "verbose_json"],
      description: "Output format; verbose_json requires --json; defaults to text",
    },
  },
  fields: ["text", "usage", "task", "language", "duration", "segments", "words"],
  async run(context, flags, { file }) {
    const model = chosenModel(context, flags.model, "transcription");
    const { language, prompt, format } = flags;
    const form = {
      model,
      file: new Blob([readBytes(context.io, file)]),
      filename: basename(file),
      ...(language !== undefined && { language }),
      ...(prompt !== undefined && { prompt }),
      // For plain text, request JSON and print its text, because the JSON response includes the usage.
      ...(format !== undefined && format !== "text" && { response_format: format as "srt" }),
    };
    const { data, facts } = await context.waiting("transcribing…", context.gateway.transcribe(form));
    const { output } = context;
    output.record(data, () => `${output.isTerminal ? printable(data.text) : data.text.replace(/\n$/, "")}\n`);
    noteCall(context, facts);
  },
});
