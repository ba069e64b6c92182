/** What a tool that takes a text is to a model that knows only tools with arguments: one with a single argument. */
const INPUT = "input";

/** A tool that takes a text, as a function. */
export function asFunction(tool: Readonly<Record<string, unknown>>, name: string): object {
  const format = tool.format as {
    readonly type?: unknown;
    readonly syntax?: unknown;
    readonly definition?: unknown;
  } | null;
  const grammar =
    format?.type === "grammar"
      ? `\n\nThe input must follow this grammar (${String(format.syntax)}):\n${String(format.definition)}`
      : "";
  return {
    name,
    description: `${typeof tool.description === "string" ? tool.description : ""}${grammar}`.trim(),
    parameters: {
      type: "object",
      properties: { [INPUT]: { type: "string", description: "The whole input of the tool, verbatim." } },
      required: [INPUT],
      additionalProperties: false,
    },
  };
}

/** A text as the arguments of such a function. */
export function customArguments(input: string): string {
  return JSON.stringify({ [INPUT]: input });
}

/** The text in arguments that a model wrote; all of them where it did not keep to the form. */
export function customInput(json: string): string {
  try {
    const value = (JSON.parse(json) as Readonly<Record<string, unknown>> | null)?.[INPUT];
    return typeof value === "string" ? value : json;
  } catch {
    return json;
  }
}
