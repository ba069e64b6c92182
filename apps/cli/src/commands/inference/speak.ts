import { defineCommand } from "../../command.ts";
import { chosenModel, modelFlag } from "./model-flag.ts";
import { noteCall } from "./note-call.ts";
import { readPrompt } from "./read-text.ts";
import { checkDestination, writeBytes } from "./write-bytes.ts";

/** The `tollgate speak` command. */
export const speak = defineCommand({
  examples: [
    'tollgate speak -m sim/speech "Good morning" --out morning.mp3',
    "tollgate speak -m sim/speech --format wav <speech.txt | aplay",
  ],
  arguments: [
    { name: "text", description: "Text to speak; can also come from standard input", optional: true, many: true },
  ],
  flags: {
    model: modelFlag,
    voice: { type: "string", value: "VOICE", description: "Voice; defaults to alloy" },
    format: {
      type: "string",
      value: "FORMAT",
      choices: ["mp3", "opus", "aac", "flac", "wav", "pcm"],
      description: "Audio format; defaults to mp3",
    },
    speed: { type: "number", value: "TIMES", description: "Speech speed; 1 is normal" },
    instructions: { type: "string", value: "TEXT", description: "Instructions for tone and style" },
    out: { type: "string", value: "FILE", description: "Output file; defaults to standard output" },
  },
  fields: ["file", "bytes", "callId", "costNanoUsd"],
  async run(context, flags, { text }) {
    const model = chosenModel(context, flags.model, "speech");
    checkDestination(context, flags.out);
    const { format, speed, instructions } = flags;
    const body = {
      model,
      input: await readPrompt(context, text),
      voice: flags.voice ?? "alloy",
      ...(format !== undefined && { response_format: format as "mp3" }),
      ...(speed !== undefined && { speed }),
      ...(instructions !== undefined && { instructions }),
    };
    const { data, facts } = await context.waiting("generating…", context.gateway.speak(body));
    writeBytes(context, flags.out, data);
    if (context.output.isJson) {
      const { callId, costNanoUsd } = facts;
      return context.output.record({ file: flags.out, bytes: data.length, callId, costNanoUsd }, () => "");
    }
    noteCall(context, facts);
  },
});
