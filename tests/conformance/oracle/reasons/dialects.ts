import { isAbsent, type Reason } from "./reason.ts";

/** Other wires, other media. */
export const dialectReasons: readonly Reason[] = [
  {
    name: "Anthropic, structured output without a beta",
    because: "Structured output is asked for in the form that left beta (output_config); LiteLLM uses the beta's.",
    place: /^upstream \/(headers\/anthropic-beta|body\/output_(format|config))$/,
    scenario: /^Anthropic, structured output$/,
  },
  {
    name: "Anthropic, JSON when JSON was asked for",
    because: "Anthropic has no such mode, so the model is told in the system prompt; LiteLLM drops the wish.",
    place: /^upstream \/body\/system$/,
    scenario: /^Anthropic, a JSON object$/,
  },
  {
    name: "Anthropic, function tools need no type",
    because: "The type is optional for a client's own tools.",
    place: /^upstream \/body\/tools\/0\/type$/,
    holds: (theirs, ours) => theirs === "custom" && isAbsent(ours),
  },
  {
    name: "Anthropic, thinking does not cut the answer",
    because:
      "Without a limit of the caller's the model's own applies, with thinking as without; LiteLLM then allows 4,096 tokens beside the thinking.",
    place: /^upstream \/body\/max_tokens$/,
    scenario: /^Anthropic, reasoning/,
  },
  {
    name: "reasoning tokens are reported, not guessed",
    because: "Anthropic does not tell how many tokens were thought; LiteLLM counts the text it saw and calls it usage.",
    place: /reasoning_tokens$/,
    scenario: /^Anthropic, reasoning/,
  },
  {
    name: "Gemini, schemas as JSON Schema",
    because:
      "Functions' parameters are sent as the JSON Schema they are; the older field takes a part of the language only.",
    place: /^upstream \/body\/tools\/0\/functionDeclarations\/0\/parameters(JsonSchema)?$/,
    scenario: /^Gemini/,
  },
  {
    name: "Gemini, calls and results by id",
    because:
      "Function calls and results carry their ids and the field Google documents for a result, so that two calls of one function cannot be mixed up.",
    place: /^upstream \/body\/contents\/\d\/parts\/0\/function(Call|Response)\/(id|response\/\w+)$/,
    scenario: /^Gemini, tool results$/,
  },
  {
    name: "Gemini, detail of an image",
    because:
      "The wish for low detail is OpenAI's; Google's is a setting of the whole request and would change the other images too.",
    place: /^upstream \/body\/generationConfig$/,
    scenario: /^Gemini, vision$/,
  },
  {
    name: "Gemini, what was said before the filter",
    because:
      "Text that came before Google's filter stopped the answer is passed on, as finish_reason content_filter says; LiteLLM drops it.",
    place: /^body \/choices\/0\/message\/content$/,
    scenario: /^Gemini, filtered$/,
  },
  {
    name: "Gemini, text tokens as reported",
    because: "Text tokens of the input are Google's own count, cached ones included; LiteLLM takes those away.",
    place: /prompt_tokens_details\/text_tokens$/,
    scenario: /^Gemini, cached input$/,
  },
  {
    name: "moderation categories of OpenAI",
    because: "Categories have OpenAI's names; LiteLLM repeats them under names of its client library.",
    place: /^body \/results\/\d\/categor\w+\/\w+_\w+$|^body \/results\/\d\/categor\w+\/self_harm$/,
    operation: /^moderations$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "the default model is named",
    because: "A moderation without a model is asked of the configured default, by name.",
    place: /^upstream \/body\/model$/,
    operation: /^moderations$/,
    scenario: /^no model$/,
  },
  {
    name: "types of sound",
    because: "The type of content is that of the format that was asked for; LiteLLM says audio/mpeg to all.",
    place: /^header content-type$/,
    operation: /^speech$/,
    holds: (theirs) => theirs === "audio/mpeg",
  },
  {
    name: "transcripts in the format that was asked for",
    because:
      "Text, SRT and VTT come as such and are asked for as such; LiteLLM wraps them into JSON and asks for verbose_json where it wants the duration.",
    place:
      /^(header content-type|body |body \/(language|duration|words|segments|usage)|upstream \/body\/response_format)$/,
    operation: /^transcriptions$/,
  },
  {
    name: "uploads keep their type",
    because: "A file is passed on with the type its sender gave it.",
    place: /^upstream \/body\/file\/type$/,
    operation: /^transcriptions$/,
  },
  {
    name: "images cost what an image costs",
    because: "LiteLLM multiplies a price per pixel; here an image has a price.",
    place: /^header x-gw-response-cost$/,
    operation: /^images$/,
    holds: (theirs, ours) => Math.abs(Number(theirs) / Number(ours) - 1) < 1e-5,
  },
  {
    name: "images as the upstream described them",
    because: "Fields the upstream did not send are not there, and usage it did not report is not zero.",
    place: /^body \/(background|output_format|quality|size|usage|data\/0\/(b64_json|url))$/,
    operation: /^images$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
];
