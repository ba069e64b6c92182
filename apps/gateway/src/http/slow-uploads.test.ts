import { expect, test } from "vitest";
import { startEdge } from "./edge.fixture.ts";
import { chatHead, RawClient } from "./raw-client.fixture.ts";

test("a file upload can take longer than other bodies, but has a time limit", async () => {
  await using edge = await startEdge({ timeouts: { headersMs: 300, requestMs: 700 } });
  const head = (callId: string) =>
    chatHead({ callId, framing: ["content-length: 100000"] })
      .replace("/v1/chat/completions", "/v1/audio/transcriptions")
      .replace("content-type: application/json", "content-type: multipart/form-data; boundary=b");
  const form =
    '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nsim/transcribe\r\n' +
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a.ogg"\r\n\r\n';
  const end = "\r\n--b--\r\n";
  const [slow, endless] = await Promise.all([RawClient.connect(edge.port), RawClient.connect(edge.port)]);
  slow.send(head("slow") + form);
  endless.send(head("endless") + form + "x".repeat(50_000));
  const cut = await RawClient.connect(edge.port);
  cut.send(chatHead({ framing: ["content-length: 1000000"] }) + "x".repeat(50_000));
  await cut.closed();
  expect(slow.isClosed || endless.isClosed).toBe(false);
  slow.send("x".repeat(100_000 - form.length - end.length) + end);
  expect((await slow.answer(0)).status).toBe(200);
  edge.advance(120_000);
  await endless.closed();
  expect(endless.answers.map(({ status }) => status)).toEqual([408]);
  expect(edge.unexpected).toEqual([]);
  slow.close();
});
