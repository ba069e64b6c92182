import type { UpstreamRequest } from "./question.ts";

/** Names that Google accepts in two spellings. */
const spellings: Readonly<Record<string, string>> = {
  system_instruction: "systemInstruction",
  generation_config: "generationConfig",
  stop_sequences: "stopSequences",
  max_output_tokens: "maxOutputTokens",
  response_mime_type: "responseMimeType",
  response_json_schema: "responseJsonSchema",
  function_declarations: "functionDeclarations",
  function_call: "functionCall",
  function_response: "functionResponse",
  inline_data: "inlineData",
  mime_type: "mimeType",
};

/** Converts names that the upstream accepts in two spellings to one spelling. */
export function spelledAlike(request: UpstreamRequest): UpstreamRequest {
  return request.target.includes("enerateContent") ? { ...request, body: respelled(request.body) } : request;
}

function respelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(respelled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [spellings[name] ?? name, respelled(item)]));
}
