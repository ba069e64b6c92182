const requestedTier = "LiteLLM charges the requested tier. Tollgate charges the tier that the response names.";
const uncitedSearch =
  "LiteLLM charges a search of a chat response only if the response has URL citations. OpenAI bills every request to a search model, and Perplexity every request by the size of its context.";
const oneSearch =
  "LiteLLM charges one search for each response. The provider bills every search, and the response lists them.";
const codeSession = "LiteLLM doesn't charge code sessions. The provider bills each session that the response lists.";
const toolTokens = "LiteLLM ignores toolUsePromptTokenCount. Google bills these tokens as input.";
const longReasoning =
  "LiteLLM charges reasoning tokens of a long prompt at the price for short prompts. Google bills them like other output.";
const maps = "LiteLLM doesn't charge Google Maps. Google bills each request that returns places.";
const grokTools = "LiteLLM charges only the tokens of this response. xAI bills the tools that the response counts.";
const rules = "LiteLLM has no such condition. Tollgate has price_rules.";

/** Reasons why LiteLLM's cost of a case differs from the provider's charge, by provider and condition. */
export const litellmReasons: Readonly<Record<string, string>> = {
  "OpenAI: service tier priority, served as default": requestedTier,
  "OpenAI: web search of a search model": uncitedSearch,
  "OpenAI: web search": oneSearch,
  "OpenAI: code interpreter session": codeSession,
  "Azure OpenAI: service tier priority, served as default": requestedTier,
  "Azure OpenAI: web search of a search model": uncitedSearch,
  "Azure OpenAI: web search": oneSearch,
  "Azure OpenAI: file search": "LiteLLM has prices for Azure's file search only by storage and day, not by call.",
  "Azure OpenAI: code interpreter session": codeSession,
  "Anthropic: web search, streamed": "LiteLLM fails to compute the cost of a streamed response with searches.",
  "Anthropic: computer use, which bills only tokens": "LiteLLM expects the tool in the format of chat completions.",
  "Anthropic: web fetch, streamed": "LiteLLM fails to compute the cost of a streamed response that counts its tools.",
  "Anthropic: code execution session": codeSession,
  "Anthropic: code execution session of a chat completion": codeSession,
  "Anthropic: region us": rules,
  "Anthropic: service tier batch": "LiteLLM doesn't read the tier of Anthropic's responses.",
  "Gemini: web searches, billed per query": oneSearch,
  "Gemini: URL context, which bills only tokens": toolTokens,
  "Gemini: code execution, which bills only tokens": toolTokens,
  "Gemini: Google Maps, billed per request": maps,
  "Gemini: input above 200,000 tokens, with reasoning": longReasoning,
  "Gemini: service tier priority, served as standard": requestedTier,
  "Vertex AI: web searches, billed per query": oneSearch,
  "Vertex AI: URL context, which bills only tokens": toolTokens,
  "Vertex AI: code execution, which bills only tokens": toolTokens,
  "Vertex AI: Google Maps, billed per request": maps,
  "Vertex AI: input above 200,000 tokens, with reasoning": longReasoning,
  "Vertex AI: service tier priority, served as standard": requestedTier,
  "Bedrock: one-hour and five-minute cache writes, cached reads":
    "LiteLLM ignores cacheDetails, and charges one-hour writes at the price of five-minute writes.",
  "DeepSeek: peak hours": rules,
  "xAI: X search, billed per post and profile": grokTools,
  "xAI: web search of a response, billed per call": grokTools,
  "xAI: code of a response, billed per call": grokTools,
  "Perplexity: fee by search context": "LiteLLM returns a cost of 0 for this response.",
  "Perplexity: searches of a research model": "LiteLLM doesn't read num_search_queries of this response.",
  "Perplexity: fee per request": "LiteLLM's list has input_cost_per_request, but its computation ignores it.",
  "OpenAI: catalog: web search, file search, and a code session":
    "LiteLLM charges only the tokens of this response. The provider bills each of the three tools.",
  "OpenAI: catalog: web search of a search model": uncitedSearch,
  "OpenAI: wildcard deployment with a fee of its own": "LiteLLM rejects web_search_options for this model.",
  "Anthropic: catalog: one-hour and five-minute cache writes":
    "The list of LiteLLM 1.84.0 has no price for one-hour writes of this model, and it charges nothing for them.",
  "Anthropic: catalog: fast mode":
    "LiteLLM charges cached tokens at the usual price. Anthropic applies the factor of fast mode to them, too.",
  "Anthropic: catalog: fast mode, served at standard speed":
    "LiteLLM charges the requested speed. Tollgate charges the speed that the response names.",
  "Anthropic: container with skills": codeSession,
  "Vertex AI: catalog: region of the deployment": "The list of LiteLLM 1.84.0 doesn't have this model.",
  "Perplexity: catalog: fee by search context": uncitedSearch,
};
