import { type Behavior, reply } from "@tollgate/testkit/upstream-behaviours.ts";
import { type SpokenAnswer, says } from "../oracle/answers/spoken-answer.ts";
import { operationAt } from "./play-operations.ts";

/** A picture that an upstream must be shown before it names it. */
export const PICTURE = Buffer.from("\x89PNG\r\n\x1a\n a lighthouse", "latin1").toString("base64");
export const PICTURE_NAME = "A lighthouse.";
/** What a conversation says when nothing more is asked of it. */
export const GREETING = "Grüße, traveller.";
export const WEATHER = "It is sunny in Zürich.";
/** What makes it talk for a minute, where it is streamed. */
export const SLOWLY = "take your time";
/** What makes it ask for two cities at once, and what it makes of both answers. */
export const BOTH_CITIES = "in both cities";
export const BOTH_WEATHERS = "It is sunny in Zürich and rainy in Bern.";
export const POINT = { x: 3, label: "Süd" };
export const INPUT_TOKENS = 9;
export const OUTPUT_TOKENS = 12;

/**
 * A model that talks in whichever dialect it is asked. It goes by what reached it: it calls the tool it was offered,
 * reads the result it was given, writes the form it was shown and names the picture it saw. What was lost on the way
 * shows in its answer.
 */
export const playConversation: Behavior = (exchange) => {
  const operation = operationAt(exchange.request.path);
  if (operation !== null) return operation(exchange);
  const asked = exchange.request.body.toString("utf8");
  if (asked.includes("please fail")) return reply(400, { error: { message: "The request is odd." } })(exchange);
  return says({ inputTokens: INPUT_TOKENS, outputTokens: OUTPUT_TOKENS, ...answerTo(asked) })(exchange);
};

/** How each dialect gives the result of a tool. */
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
  // The form's own members, which only a schema names.
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
