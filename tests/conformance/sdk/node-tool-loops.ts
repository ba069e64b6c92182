import assert from "node:assert/strict";
import OpenAI from "openai";
import { BOTH_CITIES } from "../stage/play-conversation.ts";
import type { AssistantModels } from "./assistant-models.ts";
import { expectCompleted, listen, textOf } from "./recorded-run.ts";

type Run = OpenAI.Beta.Threads.Run;
type Check = (name: string, run: () => Promise<void>) => Promise<boolean>;

export const getWeather: OpenAI.Beta.FunctionTool = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

/** Checks two parallel function calls, non-streaming and streaming. */
export async function checkToolLoops({ assistants, threads }: OpenAI["beta"], models: AssistantModels, check: Check) {
  const { id: assistant_id } = await assistants.create({ model: models.tools, tools: [getWeather] });
  const messages = [{ role: "user" as const, content: `How is the weather ${BOTH_CITIES}?` }];

  const expectAnswered = async (run: Run, reported: string) => {
    expectCompleted(run);
    const { data } = await threads.messages.list(run.thread_id, { run_id: run.id });
    assert.deepEqual(data.map(textOf), [models.says?.weather ?? reported]);
    const { data: steps } = await threads.runs.steps.list(run.id, { thread_id: run.thread_id, order: "asc" });
    assert.deepEqual(
      steps.map(({ type, status }) => [type, status]),
      [
        ["tool_calls", "completed"],
        ["message_creation", "completed"],
      ],
    );
    const details = steps[0]?.step_details;
    assert.ok(details?.type === "tool_calls");
    const outputs = details.tool_calls.map((call) => (call.type === "function" ? call.function.output : null));
    assert.equal(outputs.join(" "), reported);
  };

  await check("a polled run completes after two parallel function calls", async () => {
    const { id } = await threads.create({ messages });
    const asking = await threads.runs.createAndPoll(id, { assistant_id }, { pollIntervalMs: 20 });
    const { outputs, reported } = answerCalls(asking, models);
    const partial = threads.runs.submitToolOutputs(asking.id, { thread_id: id, tool_outputs: outputs.slice(1) });
    await assert.rejects(partial, OpenAI.BadRequestError, "one answer of two was taken");
    const run = await threads.runs.submitToolOutputsAndPoll(
      asking.id,
      { thread_id: id, tool_outputs: outputs },
      { pollIntervalMs: 20 },
    );
    await expectAnswered(run, reported);
  });

  await check("a streamed run completes after two parallel function calls", async () => {
    const { id } = await threads.create({ messages });
    const first = listen(threads.runs.stream(id, { assistant_id }));
    const asking = await first.stream.finalRun();
    const { outputs, reported } = answerCalls(asking, models);
    const required = asking.required_action?.submit_tool_outputs.tool_calls ?? [];
    assert.deepEqual(
      first.calls.map((call) => ({ id: call.id, arguments: JSON.parse(call.function.arguments) })),
      required.map((call) => ({ id: call.id, arguments: JSON.parse(call.function.arguments) })),
    );
    const second = listen(threads.runs.submitToolOutputsStream(asking.id, { thread_id: id, tool_outputs: outputs }));
    await expectAnswered(await second.stream.finalRun(), reported);
    assert.equal(second.text, models.says?.weather ?? reported);
  });
}

/**
 * Returns outputs for all pending function calls: the weather in the scripted cities, or a distinct output for each
 * call.
 */
function answerCalls(run: Run, { says }: AssistantModels) {
  assert.equal(run.status, "requires_action", run.last_error?.message);
  const calls = run.required_action?.submit_tool_outputs.tool_calls ?? [];
  assert.equal(new Set(calls.map(({ id }) => id)).size, 2, "expected two distinct calls");
  const weathers = ["sunny", "rainy"];
  const outputs = calls.map(({ id, function: { name, arguments: given } }, index) => {
    const { city } = JSON.parse(given) as { city: string };
    assert.deepEqual([name, typeof city], ["get_weather", "string"]);
    if (says !== null) assert.equal(city, ["Zürich", "Bern"][index]);
    return { tool_call_id: id, output: `${weathers[index]} in ${city}` };
  });
  return { outputs, reported: outputs.map(({ output }) => output).join(" ") };
}
