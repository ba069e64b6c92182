import { expect, test } from "vitest";
import { callCode } from "./call-code.ts";

const facts = { apiUrl: "https://gw.example.org/x", keyHeader: "x-gw-api-key" };

function codeOf(label: string, call: Partial<Parameters<typeof callCode>[0]>): string {
  const snippets = callCode({ ...facts, path: "chat/completions", body: {}, ...call });
  return snippets.find((snippet) => snippet.label === label)?.code ?? "";
}

test("escapes a quote in the prompt for the shell", () => {
  const code = codeOf("curl", { body: { model: "m", messages: [{ role: "user", content: "it's" }] } });
  expect(code).toContain(`it'\\''s`);
  expect(code).toContain("https://gw.example.org/x/v1/chat/completions");
});

test("uses Python literals for true, false, and null", () => {
  const code = codeOf("Python", { body: { stream: true, store: false, stop: null, tools: [{ a: {} }] } });
  expect(code).toContain("stream=True");
  expect(code).toContain("store=False");
  expect(code).toContain("stop=None");
  expect(code).toContain('"a": {}');
});

test("reads the key from the environment and sends it in this server's key header", () => {
  expect(codeOf("curl", {})).toContain('-H "x-gw-api-key: $TOLLGATE_API_KEY"');
  expect(codeOf("curl", { keyHeader: "Authorization" })).toContain('-H "Authorization: Bearer $TOLLGATE_API_KEY"');
});

test("sends a file as form data", () => {
  const call = { path: "audio/transcriptions", body: { model: "whisper-1" }, fileName: "a.wav" };
  expect(codeOf("curl", call)).toContain("-F 'file=@a.wav'");
  expect(codeOf("TypeScript", call)).toContain("client.audio.transcriptions.create({");
});
