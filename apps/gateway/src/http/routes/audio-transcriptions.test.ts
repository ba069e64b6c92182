import type { ReceivedRequest } from "@tollgate/testkit/received-request.ts";
import { reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { errorOf, readerOf, test } from "./chat-gateway.fixture.ts";
import { type FormEntry, makeWav, postForm, recording } from "./transcription-form.fixture.ts";

const PATH = "/v1/audio/transcriptions";

/** Model groups for transcription, each with its price. */
const groups = (origin: string) => {
  const group = (name: string, model: string, prices: string) =>
    `  - { model_name: ${name}, litellm_params: { model: ${model}, api_base: "${origin}/v1", api_key: sk-x, ${prices} }, model_info: { id: ${name}-1, mode: audio_transcription } }\n`;
  return (
    group("whisper", "openai/whisper-1", "input_cost_per_second: 0.0001") +
    group("listener", "openai/gpt-4o-transcribe", "input_cost_per_token: 0.0000025, output_cost_per_token: 0.00001") +
    group("quick", "groq/whisper-large-v3", "input_cost_per_second: 0.0001")
  );
};

/** Returns the form that an upstream received. */
async function formOf(received: ReceivedRequest | undefined): Promise<FormData> {
  const { headers, body } = received as ReceivedRequest;
  expect(headers["content-length"]).toBe(String(body.length));
  const contentType = headers["content-type"] as string;
  return new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
}

const verbose = {
  task: "transcribe",
  language: "english",
  duration: 2,
  text: "Hello there. General.",
  segments: [
    { id: 0, start: 0, end: 1.5, text: " Hello there." },
    { id: 1, start: 1.5, end: 3_725.25, text: " General --> you\nare." },
  ],
};

test("all paths return the same response, for success and failure", async ({ gateway }) => {
  const paths = ["/audio/transcriptions", PATH, "/openai/deployments/sim%2Ftranscribe/audio/transcriptions"];
  const forms: FormEntry[][] = [
    [recording],
    [],
    [recording, ["temperature", "7"]],
    [recording, ["response_format", "srt"]],
  ];
  for (const form of forms) {
    const answers = await Promise.all(
      paths.map(async (path) => {
        const answer = await postForm(gateway.url, [...form, ["model", "sim/transcribe"]], { path });
        return {
          status: answer.status,
          type: answer.headers.get("content-type"),
          text: (await answer.text()).replace(/"request_id":"[^"]*"/, ""),
        };
      }),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  }
});

describe("a form", () => {
  test("reaches the upstream with the same file and fields, and with the upstream's model name", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    upstreams.alpha.replies(200, { text: "Hi" });
    const answer = await postForm(gateway.url, [
      ["model", "whisper"],
      ["file", new Blob([makeWav(0.5)], { type: "audio/x-wav" }), 'Ä "b".wav'],
      ["language", "de"],
      ["prompt", "Zwölf\r\nBoxkämpfer"],
      ["temperature", "0.2"],
      ["response_format", "verbose_json"],
      ["timestamp_granularities[]", "word"],
      ["timestamp_granularities[]", "segment"],
      ["chunking_strategy[type]", "server_vad"],
      ["something_new", "5"],
      ["metadata", '{"trace":"1"}'],
      ["num_retries", "0"],
      ["user", "u-1"],
    ]);
    expect(answer.status).toBe(200);
    const form = await formOf(upstreams.alpha.requests[0]);
    expect(upstreams.alpha.requests[0]?.path).toBe("/v1/audio/transcriptions");
    expect([...form].filter(([name]) => name !== "file")).toEqual([
      ["model", "whisper-1"],
      ["language", "de"],
      ["prompt", "Zwölf\r\nBoxkämpfer"],
      ["temperature", "0.2"],
      ["response_format", "verbose_json"],
      ["timestamp_granularities[]", "word"],
      ["timestamp_granularities[]", "segment"],
      ["chunking_strategy[type]", "server_vad"],
      ["something_new", "5"],
      ["user", "u-1"],
    ]);
    const file = form.get("file") as File;
    expect(file.type).toBe("audio/x-wav");
    expect(file.name).toContain("Ä");
    expect(Buffer.from(await file.arrayBuffer()).equals(makeWav(0.5))).toBe(true);
  });

  test.for([
    ["without a file", [["model", "sim/transcribe"]], "file", "missing"],
    [
      "with a text field instead of a file",
      [
        ["file", "x"],
        ["model", "sim/transcribe"],
      ],
      "file",
      "dict_type",
    ],
    ["without a model", [recording], "model", "missing"],
    ["with a temperature that isn't a number", [recording, ["temperature", "warm"]], "temperature", "float_parsing"],
    ["with a temperature of 1.1", [recording, ["temperature", "1.1"]], "temperature", "less_than_equal"],
    ["with an unknown format", [recording, ["response_format", "xml"]], "response_format", "literal_error"],
    ["with a stream that isn't a boolean", [recording, ["stream", "perhaps"]], "stream", "bool_parsing"],
    ["with metadata that isn't an object", [recording, ["metadata", "x"]], "metadata", "dict_type"],
    [
      "with an unknown granularity",
      [recording, ["timestamp_granularities[]", "letter"]],
      "timestamp_granularities",
      "",
    ],
    ["with retries that aren't a number", [recording, ["num_retries", "1.5"]], "num_retries", "int_parsing"],
  ] as const)("%s is rejected", async ([, entries, name, type], { gateway }) => {
    const model: FormEntry[] = name === "model" || name === "file" ? [] : [["model", "sim/transcribe"]];
    const answer = await postForm(gateway.url, [...(entries as readonly FormEntry[]), ...model]);
    expect(answer.status).toBe(422);
    const { detail } = (await answer.json()) as { detail: { loc: unknown[]; type: string }[] };
    expect(detail[0]?.loc.slice(0, 2)).toEqual(["body", name]);
    if (type !== "") expect(detail[0]?.type).toBe(type);
  });

  test("with several errors gets all validation errors in one response", async ({ gateway }) => {
    const answer = await postForm(gateway.url, [["temperature", "9"]]);
    const { detail } = (await answer.json()) as { detail: { loc: unknown[] }[] };
    expect(detail.map(({ loc }) => loc[1]).sort()).toEqual(["file", "model", "temperature"]);
  });

  test.for([
    ["a repeated field", [["model", "sim/echo"]], "model"],
    [
      "a list and a field with the same name",
      [
        ["language", "de"],
        ["language[]", "en"],
      ],
      "language",
    ],
    ["granularities without timestamps", [["timestamp_granularities[]", "word"]], "timestamp_granularities"],
  ] as const)("with %s is rejected", async ([, entries, param], { gateway }) => {
    const answer = await postForm(gateway.url, [
      recording,
      ["model", "sim/transcribe"],
      ...(entries as readonly FormEntry[]),
    ]);
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ code: "invalid_request", param });
  });

  test.for([
    ["notes.txt", 20],
    ["noextension", 20],
    ["empty.wav", 0],
  ] as const)("with the file %s is rejected", async ([filename, bytes], { gateway }) => {
    const file = new Blob([Buffer.alloc(bytes)]);
    const answer = await postForm(gateway.url, [
      ["file", file, filename],
      ["model", "sim/transcribe"],
    ]);
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ code: "invalid_request", param: "file" });
  });

  test("without a body returns 422", async ({ gateway }) => {
    const answer = await gateway.post(PATH, "", { "content-type": "multipart/form-data; boundary=x" });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ detail: [{ loc: ["body"], type: "missing" }] });
  });

  test("sent as JSON returns 415", async ({ gateway }) => {
    const answer = await gateway.post(PATH, { model: "sim/transcribe", file: "x" });
    expect(answer.status).toBe(415);
    expect(await errorOf(answer)).toMatchObject({ code: "unsupported_media_type" });
  });

  test("with fields that configure the gateway is rejected", async ({ gateway }) => {
    for (const [name, value] of [
      ["api_base", "http://169.254.169.254"],
      ["api_key", "sk-mine"],
      ["extra_body", '{"api_base":"http://x"}'],
      ["language", "os.environ/HOME"],
      ["aws_secret_access_key", "x"],
    ] as const) {
      const answer = await postForm(gateway.url, [recording, ["model", "sim/transcribe"], [name, value]]);
      expect(await errorOf(answer), name).toMatchObject({ code: "client_side_credentials_not_allowed" });
    }
  });

  test("without a valid key is rejected before its file is read", async ({ gateway }) => {
    const form = new FormData();
    form.set("file", new Blob([makeWav(1)]), "a.wav");
    const answer = await fetch(gateway.url + PATH, { method: "POST", body: form });
    expect(answer.status).toBe(401);
  });

  test("is accepted if its file has the configured maximum size and rejected if the file is one byte larger", async ({
    start,
  }) => {
    const gateway = await start({ yaml: "general_settings: { max_file_size_mb: 1 }" });
    const ask = (bytes: number) =>
      postForm(gateway.url, [
        ["model", "sim/transcribe"],
        ["file", new Blob([Buffer.alloc(bytes)]), "a.ogg"],
      ]);
    expect((await ask(1024 * 1024)).status).toBe(200);
    const refused = await ask(1024 * 1024 + 1);
    expect(refused.status).toBe(413);
    expect(await errorOf(refused)).toMatchObject({ code: "request_too_large" });
  });
});

describe("the response", () => {
  const ask = (url: string, model: string, format: string, ...more: FormEntry[]) =>
    postForm(url, [recording, ["model", model], ["response_format", format], ...more]);

  test.for([
    ["json", '{"text":"Hi"}', "application/json", "application/json"],
    ["verbose_json", JSON.stringify(verbose), "application/json", "application/json"],
    ["text", "Hi\n", "text/plain; charset=utf-8", "text/plain; charset=utf-8"],
    ["srt", "1\n00:00:00,000 --> 00:00:02,000\nHi\n\n", "text/plain", "text/plain; charset=utf-8"],
    ["vtt", "WEBVTT\n\n00:00.000 --> 00:02.000\nHä\n\n", "text/plain", "text/vtt; charset=utf-8"],
  ])("as %s passes through unchanged", async ([format = "", body, given = "", shown], { start, upstreams }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    upstreams.alpha.replies(200, body, { "content-type": given });
    const answer = await ask(gateway.url, "whisper", format);
    expect(answer.headers.get("content-type")).toBe(shown);
    expect(await answer.text()).toBe(body);
  });

  test.for([
    [
      "srt",
      "1\n00:00:00,000 --> 00:00:01,500\nHello there.\n\n2\n00:00:01,500 --> 01:02:05,250\nGeneral --> you are.\n\n",
      "text/plain; charset=utf-8",
    ],
    [
      "vtt",
      "WEBVTT\n\n00:00.000 --> 00:01.500\nHello there.\n\n00:01.500 --> 01:02:05.250\nGeneral -> you are.\n\n",
      "text/vtt; charset=utf-8",
    ],
  ])(
    "as %s is generated by the gateway if the upstream does not support the format",
    async ([format = "", body, type], { start, upstreams }) => {
      const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
      upstreams.alpha.replies(200, verbose);
      const answer = await ask(gateway.url, "quick", format);
      expect((await formOf(upstreams.alpha.requests[0])).get("response_format")).toBe("verbose_json");
      expect(answer.headers.get("content-type")).toBe(type);
      expect(await answer.text()).toBe(body);
      expect(gateway.records[0]?.usage).toMatchObject({ audioMs: 10_000, source: "reported" });
    },
  );

  test.for([
    ["json", 45.2, 45_200],
    ["text", 45.2, 45_200],
    ["json", 2, 10_000],
  ] as const)(
    "as %s of a provider that shows the duration only in verbose_json is charged for the provider's duration of %s s",
    async ([format, duration, audioMs], { start, upstreams }) => {
      const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
      upstreams.alpha.replies(200, { ...verbose, duration });
      const answer = await ask(gateway.url, "quick", format);
      expect((await formOf(upstreams.alpha.requests[0])).get("response_format")).toBe("verbose_json");
      const usage = { type: "duration", seconds: Math.ceil(duration) };
      const shown = format === "json" ? JSON.stringify({ text: verbose.text, usage }) : `${verbose.text}\n`;
      expect(await answer.text()).toBe(shown);
      expect(gateway.records[0]?.usage).toMatchObject({ audioMs, source: "reported" });
    },
  );

  test("of a model without timestamps can be text or JSON, but not a format that needs timestamps", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    upstreams.alpha.replies(200, { text: "Grüße" });
    const text = await ask(gateway.url, "listener", "text");
    expect((await formOf(upstreams.alpha.requests[0])).get("response_format")).toBe("json");
    expect(await text.text()).toBe("Grüße\n");
    for (const format of ["srt", "vtt", "verbose_json", "diarized_json"]) {
      const refused = await ask(gateway.url, "listener", format);
      expect(refused.status, format).toBe(400);
      expect(await errorOf(refused)).toMatchObject({ code: "unsupported_parameter", param: "response_format" });
    }
    expect(upstreams.alpha.requests).toHaveLength(1);
  });

  test("is a 502 if the upstream's response is malformed", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    for (const body of ["not json", "{}", "[1]", "null"]) {
      upstreams.alpha.replies(200, body);
      expect((await ask(gateway.url, "whisper", "json", ["num_retries", "0"])).status, body).toBe(502);
    }
  });

  test("of a simulated model has the same text in all five formats", async ({ gateway }) => {
    const [json, wordy, text, srt, vtt] = await Promise.all(
      ["json", "verbose_json", "text", "srt", "vtt"].map(async (format) => {
        const words: FormEntry[] = format === "verbose_json" ? [["timestamp_granularities[]", "word"]] : [];
        return (await ask(gateway.url, "sim/transcribe", format, ...words)).text();
      }),
    );
    const said = JSON.parse(json as string) as { text: string; usage: unknown };
    expect(said.usage).toEqual({ type: "duration", seconds: 2 });
    expect(text).toBe(`${said.text}\n`);
    const full = JSON.parse(wordy as string) as {
      text: string;
      duration: number;
      words: unknown[];
      segments: unknown[];
    };
    expect(full).toMatchObject({ task: "transcribe", text: said.text, duration: 2 });
    expect(full.words).toHaveLength(24);
    expect(srt).toMatch(/^1\n00:00:00,000 --> 00:00:00,\d{3}\n/);
    expect(vtt).toMatch(/^WEBVTT\n\n00:00\.000 --> 00:00\.\d{3}\n/);
  });
});

describe("a stream", () => {
  const delta = (text: string) => `data: ${JSON.stringify({ type: "transcript.text.delta", delta: text })}\n\n`;
  const usage = {
    type: "tokens",
    input_tokens: 30,
    output_tokens: 4,
    total_tokens: 34,
    input_token_details: { audio_tokens: 20, text_tokens: 10 },
  };
  const done = `data: ${JSON.stringify({ type: "transcript.text.done", text: "Hi you", usage })}\n\n`;
  const form: FormEntry[] = [recording, ["model", "listener"], ["stream", "true"]];

  test("is forwarded event by event and ends with the usage", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    upstreams.alpha.streams([delta("Hi"), delta(" you"), done, "data: [DONE]\n\n"], {
      beforeFrame: (index) => (index === 1 ? held : null),
    });
    const received = await readerOf(postForm(gateway.url, form));
    await waitFor("the first words", () => received.text === delta("Hi"));
    release();
    await received.done;
    expect(received.text).toBe(delta("Hi") + delta(" you") + done);
    expect((await formOf(upstreams.alpha.requests[0])).get("stream")).toBe("true");
    expect(gateway.records[0]).toMatchObject({
      usage: { inputTokens: 30, audioInputTokens: 20, outputTokens: 4, audioMs: 2_000, source: "reported" },
      cost: 30n * 2_500n + 4n * 10_000n,
    });
  });

  test("that is truncated ends with an error, and the call is charged for the audio and the text sent", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    upstreams.alpha.streams([delta("Hi you")]);
    const answer = await postForm(gateway.url, form);
    expect(await answer.text()).toContain('"code":"bad_gateway"');
    // Two seconds of audio count as twenty tokens.
    expect(gateway.records[0]).toMatchObject({
      status: "failure",
      usage: { inputTokens: 20, audioInputTokens: 20, outputTokens: 2, source: "estimated" },
    });
  });

  test("is rejected for models and formats that do not support streaming", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    const whole = await postForm(gateway.url, [recording, ["model", "whisper"], ["stream", "true"]]);
    expect(await errorOf(whole)).toMatchObject({ code: "unsupported_parameter", param: "stream" });
    const timed = await postForm(gateway.url, [...form, ["response_format", "srt"]]);
    expect(await errorOf(timed)).toMatchObject({ code: "unsupported_parameter", param: "response_format" });
  });

  test("of a simulated model has the same text as the non-streamed response", async ({ gateway }) => {
    const simulated: FormEntry[] = [recording, ["model", "sim/transcribe"]];
    const whole = (await (await postForm(gateway.url, simulated)).json()) as { text: string };
    const streamed = await (await postForm(gateway.url, [...simulated, ["stream", "true"]])).text();
    const events = streamed.split("\n\n").flatMap((frame) => (frame ? [JSON.parse(frame.slice(6))] : []));
    expect(events.map((event) => event.delta ?? "").join("")).toBe(whole.text);
    expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", text: whole.text });
  });
});

describe("the price", () => {
  const json: FormEntry = ["response_format", "json"];

  test.for([
    ["based on reported seconds", { text: "Hi", usage: { type: "duration", seconds: 3 } }, 3_000, "reported"],
    ["based on the reported duration", { text: "Hi", duration: 2.25 }, 2_250, "reported"],
    ["based on the file", { text: "Hi" }, 2_000, "estimated"],
    ["based on the file if the reported duration is impossible", { text: "Hi", duration: -1 }, 2_000, "estimated"],
  ] as const)("for a model priced per second is %s", async ([, body, audioMs, source], { start, upstreams }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    upstreams.alpha.replies(200, body);
    const answer = await postForm(gateway.url, [recording, ["model", "whisper"], json]);
    expect(answer.headers.get("x-gw-response-cost-nano-usd")).toBe(String(audioMs * 100));
    expect(gateway.records[0]).toMatchObject({
      usage: { audioMs, inputTokens: 0, source },
      cost: BigInt(audioMs) * 100n,
    });
  });

  test("of a model priced per token is estimated if the upstream reports only seconds", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    upstreams.alpha.replies(200, { text: "Hi you", usage: { type: "duration", seconds: 3 } });
    await postForm(gateway.url, [recording, ["model", "listener"], json]);
    expect(gateway.records[0]).toMatchObject({
      usage: { inputTokens: 30, audioInputTokens: 30, outputTokens: 2, source: "estimated" },
      cost: 30n * 2_500n + 2n * 10_000n,
    });
  });

  test("of a failed call is zero", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
    upstreams.alpha.replies(400, { error: { message: "Unsupported file." } });
    const answer = await postForm(gateway.url, [recording, ["model", "whisper"]]);
    expect(answer.status).toBe(400);
    expect(gateway.records[0]).toMatchObject({ cost: 0n, status: "failure" });
  });
});

test("a retry sends the whole file again", async ({ start, upstreams }) => {
  const gateway = await start({ yaml: groups(upstreams.alpha.origin) });
  upstreams.alpha.behaves(reply(503, { error: { message: "busy" } }), reply(200, { text: "Hi" }));
  const large = Buffer.alloc(3 * 1024 * 1024, 7);
  const answer = await postForm(gateway.url, [
    ["model", "whisper"],
    ["file", new Blob([large]), "a.ogg"],
    ["num_retries", "2"],
  ]);
  expect(answer.status).toBe(200);
  expect(upstreams.alpha.requests).toHaveLength(2);
  for (const received of upstreams.alpha.requests) {
    const file = (await formOf(received)).get("file") as File;
    expect(Buffer.from(await file.arrayBuffer()).equals(large)).toBe(true);
  }
});
