import type { Operations } from "@tollgate/sdk/platform";

type Question = Operations["simulateRoute"]["body"];

/**
 * Parses the fields of a pasted request that determine its route. Returns an error message if the request is invalid.
 */
export function readRequest(text: string): Question | string {
  let body: Record<string, unknown>;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
      return "The request must be a JSON object.";
    body = parsed as Record<string, unknown>;
  } catch {
    return "Invalid JSON.";
  }
  const { model, stream, metadata, response_format: format, tags } = body;
  if (typeof model !== "string" || model === "") return 'The request has no "model" field.';
  const named = namesOf(tags) ?? namesOf((metadata as { tags?: unknown } | undefined)?.tags);
  const schema = (format as { type?: unknown } | undefined)?.type === "json_schema";
  return {
    model,
    inputTokens: countTokens(body.messages ?? body.input ?? body.prompt ?? ""),
    ...(stream === true && { stream }),
    ...(named !== null && { tags: named }),
    ...(schema && { requirements: { responseSchema: true } }),
  };
}

/**
 * Estimates one token per four characters, which is precise enough to see whether a request exceeds a context window.
 */
function countTokens(content: unknown): number {
  return Math.ceil(lengthOf(content) / 4);
}

function lengthOf(content: unknown): number {
  if (typeof content === "string") return content.length;
  if (typeof content !== "object" || content === null) return 0;
  return Object.values(content).reduce<number>((sum, part) => sum + lengthOf(part), 0);
}

function namesOf(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  const names = value.filter((name): name is string => typeof name === "string" && name !== "");
  return names.length === 0 ? null : names.slice(0, 20);
}
