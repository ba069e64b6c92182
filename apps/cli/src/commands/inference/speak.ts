import { defineCommand } from "../../command.ts";
import { chosenModel, modelFlag } from "./model-flag.ts";
import { noteCall } from "./note-call.ts";
import { readPrompt } from "./read-text.ts";
import { checkDestination, writeBytes } from "./write-bytes.ts";

/** `tollgate speak`. */
export const speak = defineCommand({
  examples: [
    'tollgate speak -m sim/speech "Good morning" --out morning.mp3',
    "tollgate speak -m sim/speech --format wav <speech.txt | aplay",
  ],
  arguments: [{ name: "text", description: "what to say; standard input too", optional: true, many: true }],
  flags: {
    model: modelFlag,
    voice: { type: "string", value: "VOICE", description: "alloy when left out" },
    format: {
      type: "string",
      value: "FORMAT",
      choices: ["mp3", "opus", "aac", "flac", "wav", "pcm"],
      description: "of the sound; mp3 when left out",
    },
    speed: { type: "number", value: "TIMES", description: "1 is as the voice speaks" },
    instructions: { type: "string", value: "TEXT", description: "how to say it" },
    out: { type: "string", value: "FILE", description: "where to; standard output when left out" },
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
    const { data, facts } = await context.waiting("speaking…", context.gateway.speak(body));
    writeBytes(context, flags.out, data);
    if (context.output.isJson) {
      const { callId, costNanoUsd } = facts;
      return context.output.record({ file: flags.out, bytes: data.length, callId, costNanoUsd }, () => "");
    }
    noteCall(context, facts);
  },
});
