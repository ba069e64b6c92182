/** What the playground has a control for. */
const offered = [
  "temperature",
  "top_p",
  "max_completion_tokens",
  "frequency_penalty",
  "presence_penalty",
  "reasoning_effort",
  "response_format",
  "stop",
  "seed",
  "tools",
  "stream",
];

/** What of the playground's parameters each model does not take. Of a model nobody knows anything, nothing is said. */
export function explainUnsupported(
  models: readonly string[],
  supported: ReadonlyMap<string, readonly string[] | null>,
): readonly { readonly model: string; readonly names: readonly string[] }[] {
  return [...new Set(models)].flatMap((model) => {
    const taken = supported.get(model) ?? null;
    if (taken === null) return [];
    const names = offered.filter(
      // The length of an answer has an old name and a new one; either will do.
      (name) => !taken.includes(name) && !(name === "max_completion_tokens" && taken.includes("max_tokens")),
    );
    return names.length === 0 ? [] : [{ model, names }];
  });
}
