import { usageError } from "../../cli-error.ts";
import { defineCommand } from "../../command.ts";
import { toExactJson } from "../../output/exact-json.ts";
import { chosenModel, modelFlag } from "./model-flag.ts";
import { readTextFile } from "./read-text.ts";

const kinds = ["completion", "text_completion", "embedding", "moderation", "speech", "image_generation"] as const;

/** `tollgate inspect`: shows the request that the provider would receive. */
export const inspect = defineCommand({
  examples: [
    "tollgate inspect request.json",
    "tollgate inspect request.json -m example-large",
    "echo '{\"messages\":[]}' | tollgate inspect - -m sim/echo --jq .raw_request_body",
  ],
  arguments: [{ name: "file", description: "JSON request file; - for standard input" }],
  flags: {
    model: modelFlag,
    kind: { type: "string", value: "KIND", choices: kinds, description: "Request type; defaults to completion (chat)" },
  },
  notes: "No request is sent to the provider. Credentials are masked.",
  fields: ["raw_request_api_base", "raw_request_body", "raw_request_headers", "error"],
  async run(context, flags, { file }) {
    const request = parseRequest(file, await readTextFile(context.io, file));
    const model = flags.model ?? (request.model as string | undefined) ?? chosenModel(context, undefined);
    const { data } = await context.gateway.transformRequest({
      call_type: (flags.kind ?? "completion") as (typeof kinds)[number],
      request_body: { ...request, model },
    });
    if (data.error !== null) throw usageError(data.error, "tollgate models show MODEL");
    context.output.record(data, ({ dim, bold }) =>
      [
        // The URL is null if the caller isn't allowed to see it.
        ...(data.raw_request_api_base === null ? [] : [`${bold(`POST ${data.raw_request_api_base}`)}\n`]),
        ...Object.entries(data.raw_request_headers ?? {}).map(([name, value]) => `${dim(`${name}:`)} ${value}\n`),
        `\n${toExactJson(data.raw_request_body, 2)}\n`,
      ].join(""),
    );
  },
});

function parseRequest(file: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Invalid JSON is reported below, like any other text that isn't a request.
  }
  throw usageError(
    `${file} is not a JSON request.`,
    'Use a request such as {"messages":[{"role":"user","content":"hello"}]}.',
  );
}
