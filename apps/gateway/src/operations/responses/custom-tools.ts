/** The only argument of the function that replaces a custom tool. */
const INPUT = "input";

/** Converts a custom tool, which takes text input, to a function. */
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

/** Returns the arguments of the function that replaces a custom tool, for the given text input. */
export function customArguments(input: string): string {
  return JSON.stringify({ [INPUT]: input });
}

/** Returns the text in a model's arguments, or all of the arguments if they don't have the expected form. */
export function customInput(json: string): string {
  try {
    const value = (JSON.parse(json) as Readonly<Record<string, unknown>> | null)?.[INPUT];
    return typeof value === "string" ? value : json;
  } catch {
    return json;
  }
}
