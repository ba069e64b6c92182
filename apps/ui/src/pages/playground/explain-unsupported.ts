/** Parameters that the playground has a control for. */
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

/** Returns the playground parameters that each model doesn't support. Models with unknown parameters are skipped. */
export function explainUnsupported(
  models: readonly string[],
  supported: ReadonlyMap<string, readonly string[] | null>,
): readonly { readonly model: string; readonly names: readonly string[] }[] {
  return [...new Set(models)].flatMap((model) => {
    const taken = supported.get(model) ?? null;
    if (taken === null) return [];
    const names = offered.filter(
      // `max_tokens` is the older name for `max_completion_tokens`, so supporting either name is enough.
      (name) => !taken.includes(name) && !(name === "max_completion_tokens" && taken.includes("max_tokens")),
    );
    return names.length === 0 ? [] : [{ model, names }];
  });
}
