import { querySql } from "@tollgate/testkit/database.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { test } from "./hosted-assistants.fixture.ts";
import type { HostedPlatform } from "./hosted-platform.fixture.ts";

const USD = 1_000_000_000n;
const weather = { type: "function", function: { name: "weather", parameters: { type: "object" } } };

interface Reported {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: events have any shape, and each test checks its own fields.
  readonly data: any;
}

async function addCustomer(hosted: HostedPlatform) {
  const person = await hosted.signUp();
  await hosted.addCredit(person, USD);
  const { token } = await hosted.createKey(person);
  const post = async (path: string, body: object = {}) => (await hosted.api("POST", path, { token, body })).body;
  return {
    person,
    post,
    /** Collects all events of a stream. */
    stream: async (
      path: string,
      body: object,
      onEvent: (reported: Reported) => unknown = () => {},
    ): Promise<readonly Reported[]> => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const answer = await fetch(hosted.url + path, {
        method: "POST",
        headers,
        body: JSON.stringify({ ...body, stream: true }),
      });
      const reported: Reported[] = [];
      let rest = "";
      for await (const text of (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
        const frames = (rest + text).split("\n\n");
        rest = frames.pop() as string;
        for (const frame of frames) {
          const [, event, data] = /^event: (.+)\ndata: (.+)$/.exec(frame) ?? [];
          if (event === undefined || data === undefined) continue;
          const said = { event, data: event === "done" ? data : JSON.parse(data) };
          reported.push(said);
          await onEvent(said);
        }
      }
      return reported;
    },
  };
}

const namesOf = (reported: readonly Reported[]) => reported.map(({ event }) => event.replace(/^thread\./, ""));

test("a run streams its events while the model responds, including function calls", async ({
  hosted,
  runWorker: _,
}) => {
  const { post, stream } = await addCustomer(hosted);
  const assistant = await post("/v1/assistants", { model: "sim/tools", tools: [weather] });
  const thread = await post("/v1/threads", { messages: [{ role: "user", content: "How is it outside?" }] });
  const asked = await stream(`/v1/threads/${thread.id}/runs`, { assistant_id: assistant.id });
  expect(namesOf(asked).filter((name) => name !== "run.step.delta")).toEqual([
    "run.created",
    "run.queued",
    "run.in_progress",
    "run.step.created",
    "run.step.in_progress",
    "run.requires_action",
    "done",
  ]);
  const waiting = asked.at(-2)?.data;
  const [call] = waiting.required_action.submit_tool_outputs.tool_calls;
  const pieces = asked
    .filter(({ event }) => event === "thread.run.step.delta")
    .map(({ data }) => data.delta.step_details.tool_calls[0]);
  expect(pieces[0]).toMatchObject({ index: 0, id: call.id, function: { name: "weather" } });
  expect(pieces.map((piece) => piece.function.arguments).join("")).toBe(call.function.arguments);

  const answered = await stream(`/v1/threads/${thread.id}/runs/${waiting.id}/submit_tool_outputs`, {
    tool_outputs: [{ tool_call_id: call.id, output: "It is sunny and warm." }],
  });
  const words = answered.filter(({ event }) => event === "thread.message.delta");
  expect(words.map(({ data }) => data.delta.content[0].text.value).join("")).toBe("It is sunny and warm.");
  expect(namesOf(answered).slice(-4)).toEqual(["message.completed", "run.step.completed", "run.completed", "done"]);
});

test("canceling a streamed run stops the model's output, and the reported usage matches the ledger", async ({
  hosted,
  database,
  runWorker: _,
}) => {
  const { person, post, stream } = await addCustomer(hosted);
  const assistant = await post("/v1/assistants", { model: "sim/lorem?tokens=2000&tps=50" });
  const thread = await post("/v1/threads", { messages: [{ role: "user", content: "Tell me a story." }] });
  const cancelAtFirstWord = async ({ event, data }: Reported) => {
    // The event for the first created step contains the run ID, and the step's content follows immediately.
    if (event !== "thread.run.step.created") return;
    expect(await post(`/v1/threads/${thread.id}/runs/${data.run_id}/cancel`)).toMatchObject({ status: "cancelling" });
  };
  const reported = await stream(`/v1/threads/${thread.id}/runs`, { assistant_id: assistant.id }, cancelAtFirstWord);
  expect(namesOf(reported).slice(-4)).toEqual(["message.incomplete", "run.step.cancelled", "run.cancelled", "done"]);
  const run = reported.at(-2)?.data;
  expect(run.usage.completion_tokens).toBeGreaterThan(0);
  const [used] = await waitFor("the call in the ledger", () =>
    querySql<{ input: string; output: string }>(
      database.connectionString,
      `select input_tokens as input, output_tokens as output from usage_events
        where organization_id = '${person.organizationId}'`,
    ),
  );
  expect([run.usage.prompt_tokens, run.usage.completion_tokens]).toEqual([Number(used?.input), Number(used?.output)]);
});
