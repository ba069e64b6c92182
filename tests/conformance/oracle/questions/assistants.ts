import { servesAssistants } from "../answers/assistants-wire.ts";
import type { Question } from "../question.ts";
import { cityTool } from "./chat-parts.ts";
import { get, post } from "./managed.ts";

const served = { key: "$SPENDER", upstream: servesAssistants } as const;
/** A run calls the model after its response is sent. */
const run = { ...served, ignoresUpstream: true } as const;

const createAssistant = post("create assistant", "/v1/assistants");
const deleteAssistant = (scenario: string, id: string, more: Partial<Question>): Question => ({
  operation: "delete assistant",
  scenario,
  method: "DELETE",
  path: `/v1/assistants/${id}`,
  ...more,
});
const createThread = post("create thread", "/v1/threads");
const retrieveThread = get("retrieve thread", "/v1/threads/");
const createMessage = post("create message", "/v1/threads/$THREAD/messages");
const createRun = post("create run", "/v1/threads/$THREAD/runs");

const isAnswered = (body: unknown) => ((body as { data?: readonly unknown[] }).data ?? []).length >= 2;

/** Questions about assistants, threads, messages, and runs, as far as LiteLLM has these operations. */
export const assistantQuestions: readonly Question[] = [
  createAssistant("only a model", { model: "chat" }, { ...served, keeps: { SCRIBE: "/id" } }),
  createAssistant(
    "all fields",
    {
      model: "chat",
      name: "Scribe",
      description: "Writes.",
      instructions: "Be brief.",
      tools: [cityTool],
      metadata: { room: "3" },
      temperature: 0.5,
      top_p: 0.9,
      response_format: { type: "json_object" },
    },
    { ...served, keeps: { SPARE: "/id" } },
  ),
  createAssistant("no model", { name: "Scribe" }, served),
  createAssistant("no key", { model: "chat" }, { key: "none" }),
  deleteAssistant("known", "$SPARE", served),
  get("list assistants", "/v1/assistants")("one", "", served),
  get("list assistants", "/v1/assistants")("no key", "", { key: "none" }),
  deleteAssistant("unknown", "asst_absent", served),
  createThread("empty", {}, { ...served, keeps: { THREAD: "/id" } }),
  createThread(
    "messages and metadata",
    { messages: [{ role: "user", content: "Hello" }], metadata: { room: "3" } },
    served,
  ),
  createThread("no key", {}, { key: "none" }),
  retrieveThread("known", "$THREAD", served),
  retrieveThread("unknown", "thread_absent", served),
  createMessage("text", { role: "user", content: "Hello" }, served),
  createMessage("no content", { role: "user" }, served),
  createMessage(
    "an unknown thread",
    { role: "user", content: "Hello" },
    { ...served, path: "/v1/threads/thread_absent/messages" },
  ),
  createRun("queued", { assistant_id: "$SCRIBE" }, run),
  get("list messages", "/v1/threads/$THREAD/messages")("with an answer", "", { ...run, until: isAnswered }),
  get("list messages", "/v1/threads/thread_absent/messages")("an unknown thread", "", served),
  createRun("streamed", { assistant_id: "$SCRIBE", stream: true }, run),
  createRun("an unknown assistant", { assistant_id: "asst_absent" }, run),
  createRun("no key", { assistant_id: "$SCRIBE" }, { key: "none" }),
];
