import { DONE_FRAME, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { type Behavior, reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";

const CREATED = 1_767_225_600;
const PIECE_BYTES = 2_048;
/** Transcript that the scripted upstream returns for every recording. */
export const RECEIVED = "Good evening, Zürich.";
/** Speech audio from the upstream, large enough to arrive in several chunks. */
export const SPOKEN = Buffer.concat([Buffer.from("RIFF"), Buffer.alloc(10_000, 0x80)]);
/** First value of every embedding. */
export const FIRST_COORDINATE = 0.25;
/** Generated requests ask for as many as four billion. */
const MAX_DIMENSIONS = 4_096;

/** Returns the scripted behavior for the path of an OpenAI operation other than chat; null for other paths. */
export function operationAt(path: string): Behavior | null {
  const found = Object.entries(behaviors).find(([end]) => path.split("?")[0]?.endsWith(end));
  return found?.[1] ?? null;
}

const completes: Behavior = (exchange) => {
  const { stream, stream_options } = exchange.request.json() as {
    stream?: boolean;
    stream_options?: { include_usage?: boolean };
  };
  const head = { id: "cmpl-scripted", object: "text_completion", created: CREATED, model: "gpt-3.5-turbo-instruct" };
  const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
  const choices = (text: string, finish_reason: string | null) => [{ index: 0, text, logprobs: null, finish_reason }];
  if (stream !== true) return reply(200, { ...head, choices: choices(" hi there", "stop"), usage })(exchange);
  return streamFrames([
    sseFrame({ ...head, choices: choices(" hi", null) }),
    sseFrame({ ...head, choices: choices(" there", "stop") }),
    ...(stream_options?.include_usage === true ? [sseFrame({ ...head, choices: [], usage })] : []),
    DONE_FRAME,
  ])(exchange);
};

const embeds: Behavior = (exchange) => {
  const { input, encoding_format, dimensions } = exchange.request.json() as {
    input: unknown;
    encoding_format?: string;
    dimensions?: number;
  };
  const vector = vectorOf(dimensions ?? 16);
  const embedding =
    encoding_format === "base64" ? Buffer.from(new Float32Array(vector).buffer).toString("base64") : vector;
  const inputs = Array.isArray(input) && typeof input[0] !== "number" ? input : [input];
  return reply(200, {
    object: "list",
    model: "text-embedding-3-small",
    data: inputs.map((_, index) => ({ object: "embedding", index, embedding })),
    usage: { prompt_tokens: 8, total_tokens: 8 },
  })(exchange);
};

const embedsAsGemini: Behavior = (exchange) => {
  const { requests } = exchange.request.json() as { requests: readonly { outputDimensionality?: number }[] };
  const embeddings = requests.map(({ outputDimensionality }) => ({ values: vectorOf(outputDimensionality ?? 16) }));
  return reply(200, { embeddings })(exchange);
};

const categories = ["harassment", "hate", "illicit", "self-harm", "sexual", "violence", "violence/graphic"];
const ofEach = <Value>(value: Value) => Object.fromEntries(categories.map((name) => [name, value]));

const moderates: Behavior = (exchange) => {
  const { input } = exchange.request.json() as { input: unknown };
  const texts = Array.isArray(input) && typeof input[0] === "string" ? input : [JSON.stringify(input)];
  const results = texts.map((text: string) => {
    const violence = text.includes("attack");
    return {
      flagged: violence,
      categories: { ...ofEach(false), violence },
      category_scores: { ...ofEach(0.0001), violence: violence ? 0.9 : 0.0002 },
      category_applied_input_types: ofEach(["text"]),
    };
  });
  return reply(200, { id: "modr-scripted", model: "omni-moderation-latest", results })(exchange);
};

const soundTypes: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
};

const speaks: Behavior = (exchange) => {
  const { response_format = "mp3", stream_format } = exchange.request.json() as {
    response_format?: string;
    stream_format?: string;
  };
  const pieces = Array.from({ length: Math.ceil(SPOKEN.length / PIECE_BYTES) }, (_, index) =>
    SPOKEN.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES),
  );
  if (stream_format === "sse") {
    const usage = { input_tokens: 3, output_tokens: 9, total_tokens: 12 };
    return streamFrames([
      ...pieces.map((piece) => sseFrame({ type: "speech.audio.delta", audio: piece.toString("base64") })),
      sseFrame({ type: "speech.audio.done", usage }),
    ])(exchange);
  }
  return streamFrames(pieces, { delayMs: 2, headers: { "content-type": soundTypes[response_format] ?? "audio/mpeg" } })(
    exchange,
  );
};

const plain = { "content-type": "text/plain; charset=utf-8" };
const segment = {
  id: 0,
  seek: 0,
  start: 0,
  end: 2,
  text: RECEIVED,
  tokens: [1],
  temperature: 0,
  avg_logprob: -0.1,
  compression_ratio: 1,
  no_speech_prob: 0.01,
};
const words = RECEIVED.split(" ").map((word, index) => ({ word, start: index / 2, end: (index + 1) / 2 }));
const transcripts: Readonly<Record<string, Behavior>> = {
  json: reply(200, { text: RECEIVED, usage: { type: "duration", seconds: 2 } }),
  verbose_json: reply(200, {
    task: "transcribe",
    language: "english",
    duration: 2,
    text: RECEIVED,
    segments: [segment],
    words,
  }),
  text: reply(200, `${RECEIVED}\n`, plain),
  srt: reply(200, `1\n00:00:00,000 --> 00:00:02,000\n${RECEIVED}\n\n`, plain),
  vtt: reply(200, `WEBVTT\n\n00:00.000 --> 00:02.000\n${RECEIVED}\n\n`, plain),
};

const transcribes: Behavior = (exchange) => {
  const named = /name="response_format"\r\n(?:[^\r]+\r\n)*\r\n(\w+)/.exec(exchange.request.body.toString("latin1"));
  return (transcripts[named?.[1] ?? "json"] ?? (transcripts.json as Behavior))(exchange);
};

const paints: Behavior = (exchange) => {
  const { n, response_format } = exchange.request.json() as { n?: number; response_format?: string };
  const picture =
    response_format === "b64_json"
      ? { b64_json: Buffer.from("\x89PNG scripted", "latin1").toString("base64") }
      : { url: "https://images.example/1.png" };
  const data = Array.from({ length: n ?? 1 }, () => ({ ...picture, revised_prompt: "A lighthouse at dusk" }));
  return reply(200, { created: CREATED, data })(exchange);
};

const sorts: Behavior = (exchange) => {
  const { documents, top_n: most } = exchange.request.json() as { documents: readonly string[]; top_n?: number };
  const results = documents.map((_, index) => ({ index, relevance_score: 1 / (index + 1) })).slice(0, most);
  return reply(200, { id: "rerank-1", results, meta: { billed_units: { search_units: 1 } } })(exchange);
};

const behaviors: Readonly<Record<string, Behavior>> = {
  "/v1/completions": completes,
  "/embeddings": embeds,
  ":batchEmbedContents": embedsAsGemini,
  "/moderations": moderates,
  "/audio/speech": speaks,
  "/audio/transcriptions": transcribes,
  "/images/generations": paints,
  "/rerank": sorts,
};

function vectorOf(dimensions: number): readonly number[] {
  return Array.from({ length: Math.min(dimensions, MAX_DIMENSIONS) }, (_, index) => FIRST_COORDINATE / (index + 1));
}
