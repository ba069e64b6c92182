import { choice, completion, type Delivery, delta, refusal, type Scenario, textFrames } from "./scenario.ts";

const cityTool = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

const awkward = [
  "Grüße, 世界! ",
  "🧑‍🚀🏳️‍🌈 ",
  "שלום \u202b\u202e ",
  "e\u0301 \u2028\u2029 ",
  'quotes " \\ / and \t\n\n',
  "data: [DONE]\n\n",
  "\u0000\u001b\u007f\ufeff",
];

function text(name: string, pieces: readonly string[], delivery: Delivery = "plain"): Scenario {
  return completion(name, {
    choices: [choice({ content: pieces.join(""), refusal: null, annotations: [] })],
    frames: textFrames(pieces),
    delivery,
  });
}

const parallelTools = completion("two parallel tool calls", {
  request: { tools: [cityTool], tool_choice: "auto", parallel_tool_calls: true },
  choices: [
    choice(
      {
        content: null,
        refusal: null,
        tool_calls: [
          { id: "call_one", type: "function", function: { name: "get_weather", arguments: '{"city":"Zürich"}' } },
          { id: "call_two", type: "function", function: { name: "get_weather", arguments: '{"city": "Oslo"}' } },
        ],
      },
      "tool_calls",
    ),
  ],
  frames: [
    delta({ role: "assistant", content: null, refusal: null }),
    delta({
      tool_calls: [{ index: 0, id: "call_one", type: "function", function: { name: "get_weather", arguments: "" } }],
    }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '{"ci' } }] }),
    delta({ tool_calls: [{ index: 0, function: { arguments: 'ty":"Zürich"}' } }] }),
    delta({
      tool_calls: [{ index: 1, id: "call_two", type: "function", function: { name: "get_weather", arguments: "" } }],
    }),
    delta({ tool_calls: [{ index: 1, function: { arguments: '{"city": "Oslo"}' } }] }),
    delta({}, "tool_calls"),
  ],
});

const refused = completion("refusal", {
  choices: [choice({ content: null, refusal: "I cannot help with that." })],
  frames: [
    delta({ role: "assistant", content: null, refusal: "" }),
    delta({ refusal: "I cannot " }),
    delta({ refusal: "help with that." }),
    delta({}, "stop"),
  ],
});

const probability = (token: string, logprob: number) => ({
  token,
  logprob,
  bytes: [...Buffer.from(token)],
  top_logprobs: [
    { token, logprob, bytes: [...Buffer.from(token)] },
    { token: "…", logprob: -9999.0, bytes: null },
  ],
});

const logprobs = completion("logprobs", {
  request: { logprobs: true, top_logprobs: 2 },
  choices: [
    choice({ content: "Hi!", refusal: null }, "stop", {
      logprobs: { content: [probability("Hi", -0.00031), probability("!", -1.5e-7)], refusal: null },
    }),
  ],
  frames: [
    delta({ role: "assistant", content: "", refusal: null }),
    delta({ content: "Hi" }, null, { logprobs: { content: [probability("Hi", -0.00031)], refusal: null } }),
    delta({ content: "!" }, null, { logprobs: { content: [probability("!", -1.5e-7)], refusal: null } }),
    delta({}, "stop"),
  ],
});

const twoChoices = completion("two choices", {
  request: { n: 2 },
  choices: [
    choice({ content: "one", refusal: null }),
    choice({ content: "other", refusal: null }, "length", { index: 1 }),
  ],
  frames: [
    delta({ role: "assistant", content: "" }),
    delta({ role: "assistant", content: "" }, null, { index: 1 }),
    delta({ content: "oth" }, null, { index: 1 }),
    delta({ content: "one" }),
    delta({ content: "er" }, null, { index: 1 }),
    delta({}, "stop"),
    delta({}, "length", { index: 1 }),
  ],
});

const detailedUsage = completion("usage details", {
  choices: [choice({ content: "42", refusal: null })],
  frames: textFrames(["42"]),
  usage: {
    prompt_tokens: 1_200,
    completion_tokens: 310,
    total_tokens: 1_510,
    prompt_tokens_details: { cached_tokens: 1_024, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 300,
      audio_tokens: 0,
      accepted_prediction_tokens: 4,
      rejected_prediction_tokens: 2,
    },
  },
});

const legacyFunction = completion("legacy function call", {
  request: { functions: [cityTool.function], function_call: "auto" },
  choices: [
    choice(
      { content: null, refusal: null, function_call: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
      "function_call",
    ),
  ],
  frames: [
    delta({ role: "assistant", content: null, function_call: { name: "get_weather", arguments: "" } }),
    delta({ function_call: { arguments: '{"city":"Oslo"}' } }),
    delta({}, "function_call"),
  ],
});

const reasoning = completion("reasoning and unknown fields", {
  choices: [choice({ content: "4", refusal: null, reasoning_content: "2 + 2", x_future: { a: [1, 2.5, "x", null] } })],
  frames: [
    delta({ role: "assistant", content: "", reasoning_content: "" }),
    delta({ reasoning_content: "2 + 2" }),
    delta({ content: "4", x_future: { a: [1, 2.5, "x", null] } }),
    delta({}, "stop"),
  ],
});

const citation = {
  type: "url_citation",
  url_citation: { start_index: 0, end_index: 3, title: "A page", url: "https://example.com/a?b=c" },
};

const annotations = completion("annotations", {
  choices: [choice({ content: "See", refusal: null, annotations: [citation] })],
  frames: [
    delta({ role: "assistant", content: "" }),
    delta({ content: "See" }),
    delta({ annotations: [citation] }),
    delta({}, "stop"),
  ],
});

function endsWith(finishReason: string): Scenario {
  const pieces = finishReason === "content_filter" ? [] : ["Cut ", "off"];
  return completion(`finish reason ${finishReason}`, {
    choices: [choice({ content: pieces.join(""), refusal: null }, finishReason)],
    frames: textFrames(pieces, finishReason),
  });
}

const problem = {
  message: "The temperature of this model is fixed.",
  type: "invalid_request_error",
  param: "temperature",
  code: null,
};

/** Scripted responses. Clients must decode the same result from the upstream and from the gateway. */
export const scenarios: readonly Scenario[] = [
  text("text", ["Hello ", "there, ", "traveller."]),
  text("an empty answer", []),
  text("unicode and control characters", awkward),
  text("unicode in escapes", awkward, "escaped"),
  text("pieces of a few bytes", awkward, "trickled"),
  text("carriage returns and comments", ["Hello ", "there."], "carriage returns"),
  parallelTools,
  refused,
  logprobs,
  twoChoices,
  detailedUsage,
  legacyFunction,
  reasoning,
  annotations,
  endsWith("length"),
  endsWith("content_filter"),
  refusal("refused with 400", 400, problem),
  refusal("refused with 404", 404, { ...problem, message: "No such model.", param: "model", code: "model_not_found" }),
  refusal("refused with 422", 422, { ...problem, message: "Cannot be processed." }),
  refusal("refused with 429", 429, { ...problem, message: "Slow down.", type: "rate_limit_error" }),
  refusal("failed with 500", 500, { ...problem, message: "Broken.", type: "server_error" }),
  refusal("failed with 503", 503, { ...problem, message: "Busy.", type: "server_error" }),
  {
    name: "error frame",
    request: {},
    answer: {
      kind: "error frame",
      frames: textFrames(["Half ", "a"]).slice(0, -1),
      error: { ...problem, type: "server_error" },
    },
  },
];
