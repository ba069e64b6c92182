import { isAbsent, type Reason } from "./reason.ts";

/** Differences that occur with other upstream APIs and with media. */
export const dialectReasons: readonly Reason[] = [
  {
    name: "Anthropic: structured output format",
    because:
      "Tollgate requests structured output with output_config, which is no longer in beta. LiteLLM uses the beta format.",
    place: /^upstream \/(headers\/anthropic-beta|body\/output_(format|config))$/,
    scenario: /^Anthropic, structured output$/,
  },
  {
    name: "Anthropic: JSON mode",
    because:
      "Anthropic has no JSON mode, so Tollgate adds an instruction to the system prompt. LiteLLM drops the parameter.",
    place: /^upstream \/body\/system$/,
    scenario: /^Anthropic, JSON mode$/,
  },
  {
    name: "Anthropic: tool type omitted",
    because: "The type field is optional for client tools, so Tollgate omits it.",
    place: /^upstream \/body\/tools\/0\/type$/,
    holds: (theirs, ours) => theirs === "custom" && isAbsent(ours),
  },
  {
    name: "Anthropic: output limit with thinking",
    because:
      "If the request has no output limit, Tollgate uses the model's limit, with or without thinking. LiteLLM uses the thinking budget plus 4,096 tokens.",
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
    because:
      "Tollgate sends function parameters as JSON Schema. The older field supports only a subset of JSON Schema.",
    place: /^upstream \/body\/tools\/0\/functionDeclarations\/0\/parameters(JsonSchema)?$/,
    scenario: /^Gemini/,
  },
  {
    name: "Gemini: tool call IDs",
    because:
      "Function calls and results contain their IDs and the result field that Google documents, so that two calls to the same function can't be confused.",
    place: /^upstream \/body\/contents\/\d\/parts\/0\/function(Call|Response)\/(id|response\/\w+)$/,
    scenario: /^Gemini, tool results$/,
  },
  {
    name: "Gemini: image detail",
    because:
      "In OpenAI's API, each image has its own detail setting. Google's setting applies to the whole request and would affect other images, so Tollgate doesn't send it.",
    place: /^upstream \/body\/generationConfig$/,
    scenario: /^Gemini, vision$/,
  },
  {
    name: "Gemini: filtered responses",
    because:
      "If Google's filter stops a response, Tollgate returns the partial text with finish_reason content_filter. LiteLLM drops the text.",
    place: /^body \/choices\/0\/message\/content$/,
    scenario: /^Gemini, content filter$/,
  },
  {
    name: "Gemini: reported text tokens",
    because: "Input text tokens are Google's own count, including cached tokens. LiteLLM subtracts the cached tokens.",
    place: /prompt_tokens_details\/text_tokens$/,
    scenario: /^Gemini, cached input$/,
  },
  {
    name: "OpenAI's moderation categories",
    because: "Categories have OpenAI's names. LiteLLM also lists them under its client library's names.",
    place: /^body \/results\/\d\/categor\w+\/\w+_\w+$|^body \/results\/\d\/categor\w+\/self_harm$/,
    operation: /^moderations$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "Default moderation model",
    because: "If a moderation request has no model, Tollgate sends the configured default model to the upstream.",
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
      "Tollgate requests JSON and returns text, SRT, and VTT transcripts in the requested format. LiteLLM requests verbose_json to get the duration, and returns JSON.",
    place:
      /^(header content-type|body |body \/(language|duration|words|segments|usage)|upstream \/body\/response_format)$/,
    operation: /^transcriptions$/,
  },
  {
    name: "Upload content types",
    because: "Tollgate forwards a file with the content type that the client set.",
    place: /^upstream \/body\/file\/type$/,
    operation: /^transcriptions$/,
  },
  {
    name: "Image prices",
    because: "LiteLLM charges by the pixel. Tollgate charges by the image.",
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
