import { isAbsent, isNothing, type Reason } from "./reason.ts";

/** Differences in the Rerank, Messages, and Responses APIs. */
export const interfaceReasons: readonly Reason[] = [
  {
    name: "Rerank: token counts",
    because: "A deployment may be priced per token, so Tollgate counts tokens if the provider reports only searches.",
    place: /^body \/meta\/tokens$/,
    operation: /^rerank$/,
    holds: isAbsent,
  },
  {
    name: "Rerank: returned documents",
    because: "Version 2 of Cohere's API doesn't return documents, so Tollgate adds them from the request.",
    place: /^(body \/results\/\d\/document|upstream \/body\/return_documents)$/,
    operation: /^rerank$/,
  },
  {
    name: "Rerank: text documents",
    because: "Version 2 of Cohere's API accepts only text, so Tollgate sends the relevant text of objects.",
    place: /^upstream \/body\/documents\/\d$/,
    operation: /^rerank$/,
    holds: (_theirs, ours) => typeof ours === "string",
  },
  {
    name: "Messages: Anthropic's usage",
    because:
      "As in Anthropic's API, usage has no total. It contains cache read and cache creation tokens for every provider.",
    place: /^body (\/adds)?\/usage\/(total_tokens|cache_(read|creation)_input_tokens)$|^body \/fields\/\*$/,
    operation: /^messages$/,
  },
  {
    name: "Messages: usage in the first event",
    because: "The first event contains the prompt's token usage, as in Anthropic's API.",
    place: /^body \/adds\/message\/usage\/\w+$/,
    operation: /^messages$/,
    holds: (theirs) => theirs === 0,
  },
  {
    name: "Model group in streams",
    because: "Streams contain the requested model name, like non-streaming responses.",
    place: /^body \/adds\/(message|response)\/model$/,
    holds: (_theirs, ours) => ours === "claude" || ours === "chat",
  },
  {
    name: "Messages: chat-only models",
    because:
      "For a model without a native Messages API, Tollgate sends a chat request with every parameter. LiteLLM sends OpenAI a Responses request, returns its ID, and drops stop sequences.",
    place: /^upstream \/(target|body\/.+)$|^body (\/adds\/message)?\/id$/,
    operation: /^messages$/,
    scenario: /^chat, /,
  },
  {
    name: "Messages: unchanged body",
    because: "Tollgate forwards the client's body to Anthropic without adding fields.",
    place: /^upstream \/body\/stream$/,
    operation: /^messages$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "Messages: Anthropic's error format",
    because:
      "Messages API errors have Anthropic's format and types. The details object contains Tollgate's error code and field name.",
    place: /^body \/(type|request_id|error\/(type|details))$/,
    operation: /^messages$/,
  },
  {
    name: "Messages: provider's token counter",
    because: "Tollgate asks Anthropic for the token count. LiteLLM estimates it.",
    place: /^(body \/input_tokens|upstream calls)$/,
    operation: /^messages$/,
    scenario: /^message token count$/,
  },
  {
    name: "Responses: Tollgate IDs",
    because:
      "Tollgate stores a response under an ID that Tollgate generates, so that any model can continue the conversation. created_at is the time at which Tollgate created the response.",
    place: /^body (\/adds)?(\/response)?(\/output\/\d+|\/item)?\/(id|item_id|created_at)$/,
    operation: /^responses$/,
  },
  {
    name: "Responses: OpenAI-compatible providers",
    because:
      "An OpenAI-compatible provider at another URL may not support the Responses API, so Tollgate sends a chat request unless the deployment's mode is responses.",
    place: /^upstream \/(target|body\/.+)$/,
    operation: /^responses$/,
    scenario: /^(chat, |OpenAI )/,
  },
  {
    name: "Responses: no empty tool list",
    because: "Tollgate doesn't send an empty tool list if the client didn't send one.",
    place: /^upstream \/body\/tools$/,
    operation: /^responses$/,
    scenario: /^claude, /,
    holds: (theirs, ours) => isNothing(theirs) && isAbsent(ours),
  },
  {
    name: "Responses: deployment price",
    because:
      "A request is charged at its deployment's price. LiteLLM uses the price of the model named in the response.",
    place: /^header x-gw-response-cost$/,
    operation: /^responses$/,
  },
  {
    name: "Responses: request parameters",
    because:
      "A response repeats the request's parameters, including defaults, as in OpenAI's API. LiteLLM repeats the upstream's values, or sets them to 0 or null.",
    place:
      /\/(store|instructions|max_output_tokens|max_tool_calls|tools\/0|parallel_tool_calls|temperature|top_p|top_logprobs|reasoning|format|truncation|background|prompt_cache_key|safety_identifier|previous_response_id|user|error|incomplete_details|logprobs|output_tokens_details)$/,
    operation: /^responses$/,
  },
  {
    name: "Responses: no LiteLLM-specific fields",
    because: "phase, cost, and similar fields are not part of OpenAI's responses.",
    place: /\/(phase|cost|audio_tokens|caller|namespace)$/,
    operation: /^responses$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "Responses: no empty message",
    because: "If a model only calls functions, the output contains no empty message.",
    place:
      /^body (\/adds)?(\/response)?\/(output\/\d+(\/(type|role|content|call_id|name|arguments))?|item\/(type|role|content)|content_index|text|part|name)$/,
    operation: /^responses$/,
    scenario: /^claude, tools/,
  },
  {
    name: "Responses: OpenAI's events",
    because: "Typed events have sequence numbers and OpenAI's fields, and the stream ends without [DONE].",
    place: /^body \/(adds\/sequence_number|fields\/\*|frames|isDone)$/,
    operation: /^responses$/,
  },
];
