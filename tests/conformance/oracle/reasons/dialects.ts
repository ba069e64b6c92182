import { isAbsent, type Reason } from "./reason.ts";

/** Differences in other upstream APIs and media. */
export const dialectReasons: readonly Reason[] = [
  {
    name: "Anthropic: structured output without a beta",
    because:
      "Tollgate requests structured output with output_config, which has left beta. LiteLLM uses the beta format.",
    place: /^upstream \/(headers\/anthropic-beta|body\/output_(format|config))$/,
    scenario: /^Anthropic, structured output$/,
  },
  {
    name: "Anthropic: JSON mode",
    because:
      "Anthropic has no JSON mode, so Tollgate adds the instruction to the system prompt. LiteLLM drops the parameter.",
    place: /^upstream \/body\/system$/,
    scenario: /^Anthropic, a JSON object$/,
  },
  {
    name: "Anthropic: tools without a type",
    because: "The type is optional for client tools.",
    place: /^upstream \/body\/tools\/0\/type$/,
    holds: (theirs, ours) => theirs === "custom" && isAbsent(ours),
  },
  {
    name: "Anthropic: output limit with thinking",
    because:
      "Without a limit in the request, the model's own limit applies, with or without thinking. LiteLLM allows 4,096 tokens in addition to the thinking budget.",
    place: /^upstream \/body\/max_tokens$/,
    scenario: /^Anthropic, reasoning/,
  },
  {
    name: "No estimated reasoning tokens",
    because: "Anthropic doesn't report reasoning tokens. LiteLLM counts the visible text and reports it as usage.",
    place: /reasoning_tokens$/,
    scenario: /^Anthropic, reasoning/,
  },
  {
    name: "Gemini: JSON Schema",
    because: "Function parameters are sent as JSON Schema. The older field supports only a subset.",
    place: /^upstream \/body\/tools\/0\/functionDeclarations\/0\/parameters(JsonSchema)?$/,
    scenario: /^Gemini/,
  },
  {
    name: "Gemini: tool call IDs",
    because:
      "Function calls and results contain their IDs and the result field that Google documents, so that two calls of one function can't be confused.",
    place: /^upstream \/body\/contents\/\d\/parts\/0\/function(Call|Response)\/(id|response\/\w+)$/,
    scenario: /^Gemini, tool results$/,
  },
  {
    name: "Gemini: image detail",
    because:
      "Low detail is OpenAI's option. Google's option applies to the whole request and would affect the other images.",
    place: /^upstream \/body\/generationConfig$/,
    scenario: /^Gemini, vision$/,
  },
  {
    name: "Gemini: text before a filter",
    because:
      "Text before Google's filter stopped the response is returned with finish_reason content_filter. LiteLLM drops it.",
    place: /^body \/choices\/0\/message\/content$/,
    scenario: /^Gemini, filtered$/,
  },
  {
    name: "Gemini: reported text tokens",
    because: "Input text tokens are Google's own count, including cached tokens. LiteLLM subtracts those.",
    place: /prompt_tokens_details\/text_tokens$/,
    scenario: /^Gemini, cached input$/,
  },
  {
    name: "OpenAI's moderation categories",
    because: "Categories have OpenAI's names. LiteLLM repeats them under its client library's names.",
    place: /^body \/results\/\d\/categor\w+\/\w+_\w+$|^body \/results\/\d\/categor\w+\/self_harm$/,
    operation: /^moderations$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "Default moderation model",
    because: "A moderation request without a model uses the configured default, which is sent by name.",
    place: /^upstream \/body\/model$/,
    operation: /^moderations$/,
    scenario: /^no model$/,
  },
  {
    name: "Audio content types",
    because: "The content type matches the requested format. LiteLLM always returns audio/mpeg.",
    place: /^header content-type$/,
    operation: /^speech$/,
    holds: (theirs) => theirs === "audio/mpeg",
  },
  {
    name: "Transcript formats",
    because:
      "Text, SRT, and VTT are requested and returned in that format. LiteLLM wraps them in JSON, and requests verbose_json to get the duration.",
    place:
      /^(header content-type|body |body \/(language|duration|words|segments|usage)|upstream \/body\/response_format)$/,
    operation: /^transcriptions$/,
  },
  {
    name: "Upload content types",
    because: "A file is forwarded with the content type that the client set.",
    place: /^upstream \/body\/file\/type$/,
    operation: /^transcriptions$/,
  },
  {
    name: "Image prices",
    because: "LiteLLM multiplies a price per pixel. Tollgate charges a price per image.",
    place: /^header x-gw-response-cost$/,
    operation: /^images$/,
    holds: (theirs, ours) => Math.abs(Number(theirs) / Number(ours) - 1) < 1e-5,
  },
  {
    name: "Image fields",
    because: "Tollgate omits fields that the upstream didn't send, and doesn't report missing usage as 0.",
    place: /^body \/(background|output_format|quality|size|usage|data\/0\/(b64_json|url))$/,
    operation: /^images$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
];
