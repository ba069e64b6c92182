import { DONE_FRAME } from "@tollgate/testkit/chat-answers.ts";
import { type Behavior, reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { says } from "./spoken-answer.ts";

const ASSISTANT = "asst_abc123abc123abc123abc123";
const NAMED_ASSISTANT = "asst_def456def456def456def456";
const THREAD = "thread_abc123abc123abc123abc123";
const BEGUN_THREAD = "thread_def456def456def456def456";
const MESSAGE = "msg_abc123abc123abc123abc123";
const REPLY = "msg_def456def456def456def456";
const RUN = "run_abc123abc123abc123abc123";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Responds like OpenAI's Assistants API, which LiteLLM calls, and to the chat requests of Tollgate, which runs assistants
 * itself. The objects have the fields of OpenAI's API reference.
 */
export const servesAssistants: Behavior = (exchange) => {
  const { method, path, body } = exchange.request;
  const asked = body.length > 0 ? (exchange.request.json() as Fields) : {};
  const { pathname } = new URL(path, "http://upstream");
  if (pathname.endsWith("/chat/completions")) return says({ pieces: ["Hello."] })(exchange);
  if (/absent/.test(pathname + String(asked.assistant_id))) return absent(exchange);
  const found = answers.find(([name]) => name.test(`${method} ${pathname}`));
  if (found === undefined) return absent(exchange);
  const answer = found[1](asked, pathname);
  return typeof answer === "function" ? answer(exchange) : reply(200, answer)(exchange);
};

const absent = reply(404, {
  error: { message: "No object found with this ID.", type: "invalid_request_error", param: null, code: null },
});

const refuse = (param: string) =>
  reply(400, {
    error: {
      message: `Missing required parameter: '${param}'.`,
      type: "invalid_request_error",
      param,
      code: "missing_required_parameter",
    },
  });

const answers: readonly (readonly [RegExp, (asked: Fields, path: string) => object | Behavior])[] = [
  [/^POST .*\/assistants$/, (asked) => (asked.model === undefined ? refuse("model") : assistant(asked))],
  [/^GET .*\/assistants$/, () => list([assistant({ model: "chat" })])],
  [/^DELETE .*\/assistants\//, (_asked, path) => deleted(path.split("/").at(-1))],
  [/^POST .*\/threads$/, thread],
  [/^GET .*\/threads\/\w+$/, () => thread({})],
  [/^POST .*\/messages$/, (asked) => (asked.content === undefined ? refuse("content") : message(asked))],
  [/^GET .*\/messages$/, () => list([spoken(), message({ role: "user", content: "Hello" })])],
  [/^GET .*\/runs\/\w+$/, () => run({}, "completed")],
  [/^POST .*\/runs$/, (asked) => (asked.stream === true ? streamFrames(eventsOf(asked)) : run(asked, "queued"))],
];

const now = () => Math.floor(Date.now() / 1_000);
const list = (data: readonly { readonly id: string }[]) => ({
  object: "list",
  data,
  first_id: data[0]?.id,
  last_id: data.at(-1)?.id,
  has_more: false,
});

const deleted = (id: unknown) => ({ id, object: "assistant.deleted", deleted: true });

function assistant(asked: Fields) {
  const { model, name = null, description = null, instructions = null, tools = [], metadata = {} } = asked;
  const { temperature = 1, top_p = 1, response_format = "auto" } = asked;
  const described = { name, description, model, instructions, tools, metadata, top_p, temperature, response_format };
  return {
    id: name === null ? ASSISTANT : NAMED_ASSISTANT,
    object: "assistant",
    created_at: now(),
    ...described,
  };
}

function thread({ messages, metadata = {} }: Fields) {
  return {
    id: messages === undefined ? THREAD : BEGUN_THREAD,
    object: "thread",
    created_at: now(),
    metadata,
    tool_resources: {},
  };
}

function message({ role, content, metadata = {} }: Fields, more: Fields = {}) {
  return {
    id: MESSAGE,
    object: "thread.message",
    created_at: now(),
    assistant_id: null,
    thread_id: THREAD,
    run_id: null,
    role,
    content: [{ type: "text", text: { value: content, annotations: [] } }],
    attachments: [],
    metadata,
    ...more,
  };
}

const spoken = () =>
  message({ role: "assistant", content: "Hello." }, { id: REPLY, assistant_id: ASSISTANT, run_id: RUN });

function run({ model = "chat", instructions = "" }: Fields, status: string) {
  return {
    id: RUN,
    object: "thread.run",
    created_at: now(),
    assistant_id: ASSISTANT,
    thread_id: THREAD,
    status,
    started_at: null,
    expires_at: now() + 600,
    cancelled_at: null,
    failed_at: null,
    completed_at: null,
    required_action: null,
    last_error: null,
    model,
    instructions,
    tools: [],
    metadata: {},
    incomplete_details: null,
    usage: null,
    temperature: 1,
    top_p: 1,
    max_prompt_tokens: null,
    max_completion_tokens: null,
    truncation_strategy: { type: "auto", last_messages: null },
    response_format: "auto",
    tool_choice: "auto",
    parallel_tool_calls: true,
  };
}

function eventsOf(asked: Fields): readonly string[] {
  const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const delta = { content: [{ index: 0, type: "text", text: { value: "Hello.", annotations: [] } }] };
  return [
    event("thread.run.created", run(asked, "queued")),
    event("thread.run.in_progress", run(asked, "in_progress")),
    event("thread.message.created", { ...spoken(), content: [] }),
    event("thread.message.delta", { id: REPLY, object: "thread.message.delta", delta }),
    event("thread.message.completed", spoken()),
    event("thread.run.completed", run(asked, "completed")),
    `event: done\n${DONE_FRAME}`,
  ];
}
