import { describeMessage } from "@tollgate/contracts/assistants/message-object.ts";
import { describeRun } from "@tollgate/contracts/assistants/run-object.ts";
import { type ClaimedRun, claimRun, storeWork } from "@tollgate/db/assistants/run-work.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import type { Json, Message, Run, RunEvent, Step, ToolCall } from "@tollgate/domain/assistants/records.ts";
import { AMPLE_STORAGE } from "@tollgate/domain/assistants/stored-bytes.fixture.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { StorageTurns } from "../../adapters/storage-turns.ts";
import { createStoredAssistants } from "../../adapters/stored-assistants.ts";
import type { AssistantStore } from "../../assistants/assistant-store.ts";
import type { Caller } from "../../call/caller.ts";
import { type ApiServer, startApi } from "../api.fixture.ts";
import type { PageOperation } from "../api-operation.ts";

export const TEAM_KEY = "sk-team";
export const OTHER_KEY = "sk-other";
/** Second key of the team, restricted to one model. */
export const NARROW_KEY = "sk-narrow";

type Answer = { readonly status: number; readonly body: Record<string, Json> };

/** A server for run operations with a real socket and a real database. The test acts as the worker, step by step. */
export interface RunServer extends ApiServer {
  readonly store: AssistantStore;
  /** Database connection with the worker's role. */
  readonly db: Database;
  call(method: string, path: string, body?: unknown, key?: string): Promise<Answer>;
  /** Returns the object from a request that must succeed. */
  make<Made = Record<string, Json>>(path: string, body?: unknown, key?: string): Promise<Made & { id: string }>;
  /** Opens a stream and returns a reader for its frames. */
  listen(path: string, body: unknown, signal?: AbortSignal): Promise<FrameReader>;
  take(runId: string): Promise<ClaimedRun>;
  /** Adds a message to a claimed run and completes the run. */
  complete(taken: ClaimedRun, text: string): Promise<Run>;
  /** Makes a claimed run wait for the outputs of these tool calls. */
  requireAction(taken: ClaimedRun, calls: readonly ToolCall[]): Promise<Run>;
}

export async function startRunServer(
  database: TestDatabase,
  operations?: (store: AssistantStore) => readonly PageOperation[],
  yaml = "",
  organization: Pick<Partial<Caller>, "organizationId" | "organizationName"> = {},
  limits = () => AMPLE_STORAGE,
): Promise<RunServer> {
  const sealer = createSecretBox([new Secret("a secret key of tests, long enough")]);
  const unexpected: unknown[] = [];
  const store = createStoredAssistants({
    turns: new StorageTurns(),
    db: database.connect("tollgate_gateway"),
    sealer,
    limits,
    connectionString: database.connectionString,
    onTrouble: (error) => unexpected.push(error),
  });
  const db = database.connect("tollgate_worker");
  const server = await startApi({
    yaml: `model_list: [{ model_name: "sim/*", litellm_params: { model: "sim/*" } }]\n${yaml}`,
    assistants: store,
    ...(operations && { operations: operations(store) }),
    callers: {
      [TEAM_KEY]: { keyId: "key_team", teamId: "team_one", ...organization },
      [OTHER_KEY]: { keyId: "key_other", teamId: "team_two" },
      [NARROW_KEY]: {
        keyId: "key_narrow",
        teamId: "team_one",
        ...organization,
        models: { key: ["sim/echo"], team: [], user: [], organization: [] },
      },
    },
  });
  const post = (path: string, body: unknown, key: string, method = "POST", signal?: AbortSignal) =>
    fetch(server.url + path, {
      method,
      headers: { "x-gw-api-key": key, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  const call = async (method: string, path: string, body?: unknown, key = TEAM_KEY): Promise<Answer> => {
    const response = await post(path, body, key, method);
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  };
  return {
    ...server,
    store,
    db,
    call,
    make: async <Made>(path: string, body: unknown = {}, key = TEAM_KEY) => {
      const answer = await call("POST", path, body, key);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body as Made & { id: string };
    },
    listen: async (path, body, signal) => {
      const response = await post(path, body, TEAM_KEY, "POST", signal);
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return new FrameReader(response);
    },
    take: async (runId) => {
      const taken = await claimRun(db, sealer, runId);
      if (taken?.kind !== "taken") throw new Error(`${runId} could not be taken`);
      const tell = (run: Run) => [{ event: "thread.run.in_progress", data: describeRun(run) as unknown as Json }];
      await storeWork(db, sealer, taken.lease, { tell });
      return taken;
    },
    complete: (taken, text) => {
      const message = messageOf(taken.run, text);
      const tell = (run: Run): RunEvent[] => [
        { event: "thread.message.completed", data: describeMessage(message) as unknown as Json },
        { event: `thread.run.${run.state.status}`, data: describeRun(run) as unknown as Json },
      ];
      return stored(storeWork(db, sealer, taken.lease, { messages: [message], command: { kind: "complete" }, tell }));
    },
    requireAction: (taken, calls) => {
      const tell = (run: Run) => [
        { event: `thread.run.${run.state.status}`, data: describeRun(run) as unknown as Json },
      ];
      const work = { steps: [stepOf(taken.run, calls)], command: { kind: "require_action" }, tell } as const;
      return stored(storeWork(db, sealer, taken.lease, { ...work, fields: { required: calls } }));
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await store.close();
    },
  };
}

interface Frame {
  readonly event: string;
  readonly data: Record<string, Json>;
}

/** Reads named events from a streamed response. */
export class FrameReader {
  readonly response: Response;
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";
  /** Comment lines, such as keep-alives. */
  readonly comments: string[] = [];

  constructor(response: Response) {
    this.response = response;
    this.#reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Returns the next event, or null at the end of the stream. */
  async next(): Promise<Frame | null> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const frame = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        if (!frame.startsWith(":")) return parseFrame(frame);
        this.comments.push(frame);
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#text += value;
    }
  }

  /** Returns all remaining events. */
  async rest(): Promise<Frame[]> {
    const frames: Frame[] = [];
    for (let frame = await this.next(); frame !== null; frame = await this.next()) frames.push(frame);
    return frames;
  }
}

function parseFrame(frame: string): Frame {
  const [, event = "", data = ""] = /^event: (\S+)\ndata: (.*)$/.exec(frame) ?? [];
  return { event, data: data === "[DONE]" ? { done: true } : JSON.parse(data) };
}

async function stored(work: Promise<Run | null>): Promise<Run> {
  const run = await work;
  if (run === null) throw new Error("the lease was lost");
  return run;
}

function messageOf({ id: runId, threadId, assistantId }: Run, text: string): Message {
  return {
    id: makeRecordId("msg"),
    createdAtMs: Date.now(),
    threadId,
    runId,
    fields: {
      role: "assistant",
      content: [{ type: "text", text: { value: text, annotations: [] } }],
      status: "completed",
      incompleteReason: null,
      endedAtMs: Date.now(),
      assistantId,
      attachments: null,
      metadata: {},
    },
  };
}

function stepOf({ id: runId, threadId, assistantId }: Run, calls: readonly ToolCall[]): Step {
  return {
    id: makeRecordId("step"),
    createdAtMs: Date.now(),
    runId,
    threadId,
    assistantId,
    fields: {
      status: "in_progress",
      details: { type: "tool_calls", calls: calls.map((call) => ({ ...call, output: null })) },
      lastError: null,
      endedAtMs: null,
      usage: null,
    },
  };
}
