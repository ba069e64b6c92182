import { type Behavior, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { type SpokenAnswer, says } from "../oracle/answers/spoken-answer.ts";
import { operationAt } from "./play-operations.ts";

/** An image that the upstream can name only if it receives the image. */
export const PICTURE = Buffer.from("\x89PNG\r\n\x1a\n a lighthouse", "latin1").toString("base64");
export const PICTURE_NAME = "A lighthouse.";
/** Default reply in the conversation. */
export const GREETING = "Grüße, traveller.";
export const WEATHER = "It is sunny in Zürich.";
/** Prompt that makes a streamed reply take a minute. */
export const SLOWLY = "take your time";
/** Prompt that makes the model request two cities in parallel. */
export const BOTH_CITIES = "in both cities";
export const BOTH_WEATHERS = "It is sunny in Zürich and rainy in Bern.";
export const POINT = { x: 3, label: "Süd" };
export const INPUT_TOKENS = 9;
export const OUTPUT_TOKENS = 12;

/**
 * A model that responds in the API format of the request. It uses only data from the request: it calls the offered
 * tool, reads the tool result, follows the schema, and names the image. If the gateway loses any of this data, the
 * response differs.
 */
export const playConversation: Behavior = (exchange) => {
  const operation = operationAt(exchange.request.path);
  if (operation !== null) return operation(exchange);
  const asked = exchange.request.body.toString("utf8");
  if (asked.includes("please fail")) return reply(400, { error: { message: "The request is odd." } })(exchange);
  return says({ inputTokens: INPUT_TOKENS, outputTokens: OUTPUT_TOKENS, ...answerTo(asked) })(exchange);
};

/** Markers of a tool result in each API format. */
const toolResult = /"role":\s*"tool"|"tool_result"|"functionResponse"|"toolResult"|"function_call_output"/;

function answerTo(asked: string): SpokenAnswer {
  if (asked.includes(SLOWLY)) return { pieces: Array.from({ length: 600 }, () => "well "), paceMs: 100 };
  if (asked.includes(BOTH_CITIES)) return answerForBoth(asked);
  if (toolResult.test(asked))
    return { pieces: asked.includes("sunny") ? ["It is sunny ", "in Zürich."] : ["Unknown."] };
  if (asked.includes("get_weather")) {
    return {
      pieces: [],
      finish: "tools",
      toolCalls: [{ id: "toolu_scripted", name: "get_weather", input: { city: "Zürich" } }],
    };
  }
  // Property names of the schema, which occur nowhere else in a request.
  if (asked.includes('"label"')) return { pieces: ['{"x":3,', '"label":"Süd"}'] };
  if (asked.includes(PICTURE)) return { pieces: ["A light", "house."] };
  return { pieces: ["Grüße, ", "traveller."] };
}

function answerForBoth(asked: string): SpokenAnswer {
  if (!toolResult.test(asked)) {
    const call = (id: string, city: string) => ({ id, name: "get_weather", input: { city } });
    return {
      pieces: [],
      finish: "tools",
      toolCalls: [call("toolu_first", "Zürich"), call("toolu_second", "Bern")],
    };
  }
  const knowsBoth = asked.includes("sunny in Zürich") && asked.includes("rainy in Bern");
  return { pieces: knowsBoth ? ["It is sunny in Zürich ", "and rainy in Bern."] : ["Unknown."] };
}
