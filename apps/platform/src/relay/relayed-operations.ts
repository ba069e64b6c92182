/** A gateway operation that users can call from the console. */
export interface RelayedOperation {
  /** ID of the operation in the gateway's API. */
  readonly id: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly isForm?: true;
}

const post = (id: string, path: string): RelayedOperation => ({ id, method: "POST", path });
const get = (id: string, path: string): RelayedOperation => ({ id, method: "GET", path });
const remove = (id: string, path: string): RelayedOperation => ({ id, method: "DELETE", path });

const ASSISTANT = "/v1/assistants/{assistant_id}";
const THREAD = "/v1/threads/{thread_id}";
const MESSAGE = `${THREAD}/messages/{message_id}`;
const RUN = `${THREAD}/runs/{run_id}`;

/** All relayed operations. Other paths return 404. */
export const relayedOperations: readonly RelayedOperation[] = [
  post("createChatCompletion", "/v1/chat/completions"),
  post("createCompletion", "/v1/completions"),
  post("createEmbedding", "/v1/embeddings"),
  post("createModeration", "/v1/moderations"),
  post("createImage", "/v1/images/generations"),
  post("createRerank", "/v1/rerank"),
  post("createSpeech", "/v1/audio/speech"),
  { ...post("createTranscription", "/v1/audio/transcriptions"), isForm: true },
  post("countTokens", "/utils/token_counter"),
  post("transformRequest", "/utils/transform_request"),
  post("quoteCost", "/utils/cost_quote"),
  get("listSupportedParams", "/utils/supported_openai_params"),
  get("listModels", "/v1/models"),
  get("getModelGroupInfo", "/model_group/info"),
  post("createAssistant", "/v1/assistants"),
  get("listAssistants", "/v1/assistants"),
  get("retrieveAssistant", ASSISTANT),
  post("modifyAssistant", ASSISTANT),
  remove("deleteAssistant", ASSISTANT),
  post("createThread", "/v1/threads"),
  get("retrieveThread", THREAD),
  post("modifyThread", THREAD),
  remove("deleteThread", THREAD),
  post("createMessage", `${THREAD}/messages`),
  get("listMessages", `${THREAD}/messages`),
  get("retrieveMessage", MESSAGE),
  post("modifyMessage", MESSAGE),
  remove("deleteMessage", MESSAGE),
  post("createThreadAndRun", "/v1/threads/runs"),
  post("createRun", `${THREAD}/runs`),
  get("listRuns", `${THREAD}/runs`),
  get("retrieveRun", RUN),
  post("modifyRun", RUN),
  post("cancelRun", `${RUN}/cancel`),
  post("submitToolOutputs", `${RUN}/submit_tool_outputs`),
  get("listRunSteps", `${RUN}/steps`),
  get("retrieveRunStep", `${RUN}/steps/{step_id}`),
];
