import { isAbsent, isNothing, type Reason } from "./reason.ts";

/** What is said of rerank, of messages and of responses alone. */
export const interfaceReasons: readonly Reason[] = [
  {
    name: "rerank, tokens are told",
    because: "A deployment may be priced by tokens, so they are counted where the provider tells searches alone.",
    place: /^body \/meta\/tokens$/,
    operation: /^rerank$/,
    holds: isAbsent,
  },
  {
    name: "rerank, documents come back when asked for",
    because: "Cohere's second version sends no documents back; they are those of the request, so they are put in here.",
    place: /^(body \/results\/\d\/document|upstream \/body\/return_documents)$/,
    operation: /^rerank$/,
  },
  {
    name: "rerank, documents are texts",
    because: "Cohere's second version takes texts; objects are sent as what is to be read of them.",
    place: /^upstream \/body\/documents\/\d$/,
    operation: /^rerank$/,
    holds: (_theirs, ours) => typeof ours === "string",
  },
  {
    name: "messages, Anthropic's usage and no more",
    because: "Anthropic's usage has no total, and tells both kinds of cached tokens whoever answered.",
    place: /^body (\/adds)?\/usage\/(total_tokens|cache_(read|creation)_input_tokens)$|^body \/fields\/\*$/,
    operation: /^messages$/,
  },
  {
    name: "messages, usage where it begins",
    because: "What is known of the prompt is told with the first event, as Anthropic does.",
    place: /^body \/adds\/message\/usage\/\w+$/,
    operation: /^messages$/,
    holds: (theirs) => theirs === 0,
  },
  {
    name: "the group's name in every answer",
    because: "A stream names the model as the caller did, like an answer that comes whole.",
    place: /^body \/adds\/(message|response)\/model$/,
    holds: (_theirs, ours) => ours === "claude" || ours === "chat",
  },
  {
    name: "messages, over chats",
    because:
      "A model that has no messages of its own is asked for a chat, with every parameter; LiteLLM asks OpenAI for a response, whose id it shows, and loses stop sequences.",
    place: /^upstream \/(target|body\/.+)$|^body (\/adds\/message)?\/id$/,
    operation: /^messages$/,
    scenario: /^chat, /,
  },
  {
    name: "messages, sent as they came",
    because: "Anthropic gets the caller's own body; a member that was not there is not added.",
    place: /^upstream \/body\/stream$/,
    operation: /^messages$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "messages, errors as Anthropic's clients read them",
    because: "Errors of this interface have Anthropic's shape and types, with our code and field in details.",
    place: /^body \/(type|request_id|error\/(type|details))$/,
    operation: /^messages$/,
  },
  {
    name: "messages, counted by the provider",
    because: "Anthropic counts its own tokens; LiteLLM guesses.",
    place: /^(body \/input_tokens|upstream calls)$/,
    operation: /^messages$/,
    scenario: /^tokens of a message$/,
  },
  {
    name: "responses, ids of ours",
    because:
      "A response is kept here under an id of ours, so that it can be continued whoever answers next; its time is when it was made here.",
    place: /^body (\/adds)?(\/response)?(\/output\/\d+|\/item)?\/(id|item_id|created_at)$/,
    operation: /^responses$/,
  },
  {
    name: "responses, over chats where the address is not OpenAI's",
    because:
      "Who speaks the chat wire at an address of its own need not have responses: it is asked for a chat unless the deployment's mode is responses.",
    place: /^upstream \/(target|body\/.+)$/,
    operation: /^responses$/,
    scenario: /^(chat, |OpenAI )/,
  },
  {
    name: "responses, no empty list of tools",
    because: "Nothing is sent that nobody asked for.",
    place: /^upstream \/body\/tools$/,
    operation: /^responses$/,
    scenario: /^claude, /,
    holds: (theirs, ours) => isNothing(theirs) && isAbsent(ours),
  },
  {
    name: "responses, the deployment's price",
    because: "A call costs what its deployment costs; LiteLLM takes the price of the model that the answer names.",
    place: /^header x-gw-response-cost$/,
    operation: /^responses$/,
  },
  {
    name: "responses, what was asked is told",
    because:
      "A response repeats what it was asked with, defaults included, as OpenAI's do; LiteLLM repeats what the upstream said or writes 0 and null.",
    place:
      /\/(store|instructions|max_output_tokens|max_tool_calls|tools\/0|parallel_tool_calls|temperature|top_p|top_logprobs|reasoning|format|truncation|background|prompt_cache_key|safety_identifier|previous_response_id|user|error|incomplete_details|logprobs|output_tokens_details)$/,
    operation: /^responses$/,
  },
  {
    name: "responses, no fields of LiteLLM's own",
    because: "phase, cost and the like are not part of OpenAI's responses.",
    place: /\/(phase|cost|audio_tokens|caller|namespace)$/,
    operation: /^responses$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "responses, no empty message beside calls",
    because: "A model that only calls functions has said nothing: there is no message in its output.",
    place:
      /^body (\/adds)?(\/response)?\/(output\/\d+(\/(type|role|content|call_id|name|arguments))?|item\/(type|role|content)|content_index|text|part|name)$/,
    operation: /^responses$/,
    scenario: /^claude, tools/,
  },
  {
    name: "responses, events as OpenAI's",
    because: "Typed events are numbered, have the fields OpenAI's have, and end without [DONE].",
    place: /^body \/(adds\/sequence_number|fields\/\*|frames|isDone)$/,
    operation: /^responses$/,
  },
];
