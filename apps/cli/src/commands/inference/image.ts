import { defineCommand } from "../../command.ts";
import { chosenModel, modelFlag } from "./model-flag.ts";
import { noteCall } from "./note-call.ts";
import { readPrompt } from "./read-text.ts";
import { checkDestination, writeBytes } from "./write-bytes.ts";

/** The `tollgate image` command. */
export const image = defineCommand({
  examples: [
    'tollgate image -m example-image "a lighthouse in fog" --out lighthouse.png',
    'tollgate image -m example-image "a lighthouse" --count 3 --out lighthouse.png',
    'tollgate image -m example-image "a lighthouse" --json --jq ".data[].url"',
  ],
  arguments: [
    { name: "prompt", description: "Image description; can also come from standard input", optional: true, many: true },
  ],
  flags: {
    model: modelFlag,
    size: { type: "string", value: "SIZE", description: "Image size, such as 1024x1024" },
    quality: { type: "string", value: "QUALITY", description: "Image quality; the values depend on the model" },
    count: { type: "number", value: "COUNT", description: "Number of images" },
    as: {
      type: "string",
      value: "FORM",
      choices: ["b64_json", "url"],
      description: "Return image data or a URL, if the model supports both",
    },
    out: { type: "string", value: "FILE", description: "Output file; multiple images are numbered" },
  },
  notes: "If the provider returns a URL, the URL is printed. The image is not downloaded.",
  fields: ["created", "data", "usage"],
  async run(context, flags, { prompt }) {
    const model = chosenModel(context, flags.model, "image");
    if (flags.as !== "url" && !context.output.isJson) checkDestination(context, flags.out);
    const { size, quality, count } = flags;
    const body = {
      model,
      prompt: await readPrompt(context, prompt),
      ...(size !== undefined && { size }),
      ...(quality !== undefined && { quality }),
      ...(count !== undefined && { n: count }),
      ...(flags.as !== undefined && { response_format: flags.as as "url" }),
    };
    const { data, facts } = await context.waiting("generating…", context.gateway.generateImages(body));
    const { output } = context;
    if (output.isJson) return output.record(data, () => "");
    for (const [index, { url, b64_json: bytes }] of data.data.entries()) {
      if (bytes !== undefined) {
        writeBytes(context, numbered(flags.out, index, data.data.length), Buffer.from(bytes, "base64"));
      } else if (url !== undefined) output.text(`${url}\n`);
    }
    noteCall(context, facts);
  },
});

/** Adds a number to a file name if there are several files: `a.png` becomes `a-1.png`, `a-2.png`, and `a-3.png`. */
function numbered(path: string | undefined, index: number, count: number): string | undefined {
  if (path === undefined || count === 1) return path;
  return path.replace(/(\.[^./]*)?$/, (ending) => `-${index + 1}${ending}`);
}
