import { FORM_TYPE, type FormPart, toParts, writeForm } from "../../conformance/fuzz/form-body.ts";
import type { PublishedInterface, PublishedOperation } from "../../conformance/fuzz/published-operations.ts";
import { makeSilence } from "../../conformance/sdk/make-silence.ts";
import { LURE, plantEverywhere } from "./plant-schema.ts";
import { steeringBodies, steeringHeaders, steeringQueries } from "./steering-fields.ts";

/** A request that contains a lure in one position. */
export interface LuredRequest {
  readonly operation: string;
  readonly method: string;
  /** Request target as written in the request line, which can be a whole URL. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

type Body = Readonly<Record<string, unknown>>;

const messages = [{ role: "user", content: "hello" }];
/** Model for bodies that do not name a model. */
const NO_MODEL = "";
const sound = { filename: "a.wav", contentType: "audio/wav", bytes: makeSilence() };
const chat = { messages };
/**
 * Valid bodies without a model, and the model groups to call. There is one group for each wire format whose upstream
 * could follow a URL.
 */
const sources: Readonly<Record<string, { readonly body: Body; readonly models: readonly string[] }>> = {
  createChatCompletion: { body: chat, models: ["gpt", "claude", "flash", "sim/vision"] },
  createCompletion: { body: { prompt: "hello" }, models: ["instruct", "claude", "sim/echo"] },
  createAnthropicMessage: { body: { max_tokens: 10, messages }, models: ["gpt", "claude", "flash", "sim/vision"] },
  countMessageTokens: { body: { messages }, models: ["gpt", "claude", "flash"] },
  createResponse: { body: { input: "hello" }, models: ["gpt", "claude", "flash", "responder", "sim/vision"] },
  createEmbedding: { body: { input: "hello" }, models: ["vectors", "gemini-vectors", "sim/embed"] },
  createModeration: { body: { input: "hello" }, models: ["moderator", "sim/moderation"] },
  createSpeech: { body: { input: "hello", voice: "alloy" }, models: ["voice", "sim/speech"] },
  createTranscription: { body: { file: sound }, models: ["listener", "sim/transcribe"] },
  createImage: { body: { prompt: "a lighthouse" }, models: ["painter", "sim/image"] },
  createRerank: { body: { query: "hello", documents: ["hello"] }, models: ["sorter", "sim/rerank"] },
  countTokens: { body: chat, models: ["gpt", "claude", "flash"] },
  transformRequest: {
    body: { call_type: "completion", request_body: { model: "claude", ...chat } },
    models: ["claude"],
  },
  quoteCost: { body: chat, models: ["gpt"] },
  applyGuardrail: { body: { guardrail_name: "none", text: "hello" }, models: ["sim/vision"] },
  deleteCachedResponses: { body: { keys: ["0".repeat(64)] }, models: ["sim/vision"] },
  createAssistant: { body: {}, models: ["sim/vision"] },
  modifyAssistant: { body: {}, models: ["sim/vision"] },
  createThread: { body: { messages }, models: ["sim/vision"] },
  modifyThread: { body: {}, models: ["sim/vision"] },
  createMessage: { body: messages[0] as Body, models: ["sim/vision"] },
  modifyMessage: { body: {}, models: ["sim/vision"] },
  createRun: { body: { assistant_id: "asst_000000000000000000000000" }, models: ["sim/vision"] },
  createThreadAndRun: {
    body: { assistant_id: "asst_000000000000000000000000", thread: { messages } },
    models: ["sim/vision"],
  },
  modifyRun: { body: {}, models: ["sim/vision"] },
  calculateSpend: { body: chat, models: ["gpt"] },
  generateKey: { body: {}, models: [NO_MODEL] },
  updateKey: { body: { key: "key_00000000000000000000000000" }, models: [NO_MODEL] },
  regenerateKey: { body: {}, models: [NO_MODEL] },
  deleteKeys: { body: { keys: ["key_00000000000000000000000000"] }, models: [NO_MODEL] },
  blockKey: { body: { key: "key_00000000000000000000000000" }, models: [NO_MODEL] },
  unblockKey: { body: { key: "key_00000000000000000000000000" }, models: [NO_MODEL] },
  createTeam: { body: {}, models: [NO_MODEL] },
  updateTeam: { body: { team_id: "team_00000000000000000000000000" }, models: [NO_MODEL] },
  deleteTeams: { body: { team_ids: ["team_00000000000000000000000000"] }, models: [NO_MODEL] },
  blockTeam: { body: { team_id: "team_00000000000000000000000000" }, models: [NO_MODEL] },
  unblockTeam: { body: { team_id: "team_00000000000000000000000000" }, models: [NO_MODEL] },
  addTeamMembers: {
    body: { team_id: "team_00000000000000000000000000", member: { role: "user", user_id: "1" } },
    models: [NO_MODEL],
  },
  updateTeamMember: {
    body: { team_id: "team_00000000000000000000000000", role: "user", user_id: "1" },
    models: [NO_MODEL],
  },
  deleteTeamMember: { body: { team_id: "team_00000000000000000000000000", user_id: "1" }, models: [NO_MODEL] },
  // Administrators may set the URLs of models, and the gateway is supposed to call those URLs.
  createModel: { body: {}, models: [] },
  updateModel: { body: {}, models: [] },
  deleteModel: { body: { id: "0000" }, models: [NO_MODEL] },
  submitToolOutputs: { body: { tool_outputs: [{ tool_call_id: "call_1", output: "fair" }] }, models: ["sim/vision"] },
};

/** Yields a request for every combination of operation, text position, and lure. */
export function* luredRequests(published: PublishedInterface, lures: readonly string[]): Generator<LuredRequest> {
  for (const operation of published.operations) {
    if (operation.body === null) yield* pageRequests(operation, lures);
    else yield* bodyRequests(operation, published, lures);
  }
}

function* bodyRequests(
  operation: PublishedOperation,
  published: PublishedInterface,
  lures: readonly string[],
): Generator<LuredRequest> {
  const source = sources[operation.id];
  if (source === undefined) throw new Error(`no request source for ${operation.id}`);
  const planted = plantEverywhere(operation.body ?? {}, published.resolve) as readonly Body[];
  for (const model of source.models) {
    const right = model === NO_MODEL ? source.body : { model, ...source.body };
    for (const lure of lures) {
      for (const addition of [...planted, ...steeringBodies]) {
        // A file in a form is sent as bytes, regardless of its schema.
        const body =
          operation.isForm && addition.file !== undefined ? { ...addition, ...right } : { ...right, ...addition };
        yield describe(operation, operation.paths[0] as string, fill(body, lure));
      }
      yield* aroundTheBody(operation, right, lure);
      if (operation.isForm) yield* inTheForm(operation, right, lure);
    }
  }
}

/** Places the lure in the path, the query, the headers, and the request line. */
function* aroundTheBody(operation: PublishedOperation, right: Body, lure: string): Generator<LuredRequest> {
  const [path = ""] = operation.paths;
  for (const named of operation.paths.filter((one) => one.includes("{"))) {
    yield describe(operation, named.replace(/\{\w+\}/, encodeURIComponent(lure)), right);
  }
  for (const name of steeringQueries) yield describe(operation, `${path}?${name}=${encodeURIComponent(lure)}`, right);
  for (const name of steeringHeaders) {
    const asked = describe(operation, path, right);
    yield { ...asked, headers: { ...asked.headers, [name]: lure } };
  }
  if (URL.canParse(lure)) yield describe(operation, `${new URL(lure).origin}${path}`, right);
}

/** Places the lure in the part names of a form. */
function* inTheForm(operation: PublishedOperation, right: Body, lure: string): Generator<LuredRequest> {
  const parts: readonly FormPart[] = toParts(right).filter(([name]) => name !== "file");
  const named = [
    { ...sound, filename: `${lure}.wav` },
    { ...sound, contentType: `message/external-body; access-type=URL; URL="${lure}"` },
    { ...sound, bytes: Buffer.from(lure) },
  ];
  for (const file of named) yield describe(operation, operation.paths[0] as string, { ...right, file });
  const asText = describe(operation, operation.paths[0] as string, right);
  yield { ...asText, body: writeForm([...parts, ["file", lure]]) };
}

function* pageRequests(operation: PublishedOperation, lures: readonly string[]): Generator<LuredRequest> {
  const [path = ""] = operation.paths;
  for (const lure of lures) {
    const plain = { operation: operation.id, method: operation.method, headers: {}, body: null };
    const inPath = path.replace(/\{\w+\}/, encodeURIComponent(lure));
    yield { ...plain, target: inPath };
    for (const name of [...operation.query.map((parameter) => parameter.name), ...steeringQueries]) {
      yield { ...plain, target: `${inPath}?${name}=${encodeURIComponent(lure)}` };
    }
    for (const name of steeringHeaders) yield { ...plain, target: inPath, headers: { [name]: lure } };
  }
}

function describe(operation: PublishedOperation, target: string, body: Body): LuredRequest {
  const bytes = operation.isForm ? writeForm(toParts(body)) : Buffer.from(JSON.stringify(body));
  const headers = { "content-type": operation.isForm ? FORM_TYPE : "application/json" };
  return { operation: operation.id, method: operation.method, target, headers, body: bytes };
}

/** Returns the body with the lure inserted. Leaves binary values unchanged. */
function fill(body: Body, lure: string): Body {
  const { file, ...rest } = body;
  const filled = JSON.parse(JSON.stringify(rest).replaceAll(LURE, JSON.stringify(lure).slice(1, -1))) as Body;
  return file === undefined ? filled : { ...filled, file };
}
