import { openSync, writeSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { REPORTED_INPUT_TOKENS } from "../models.ts";
import {
  type ChatRequest,
  type Instructions,
  type Remember,
  readPrompt,
  textOf,
  type UpstreamRecord,
} from "./instructions.ts";
import { misbehave, WildAddress } from "./wild-address.ts";

// Program: an upstream that follows the instructions in the prompt and records its deliveries. It is never killed, so
// the ledger must agree with its records.

const [port, recordFile, wildPort] = [Number(process.argv[2]), process.argv[3] as string, Number(process.argv[4])];
const record = openSync(recordFile, "a");

const serve = (isWild: boolean) => (request: IncomingMessage, response: ServerResponse) => {
  answer(request, response, isWild).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
};
const wild = new WildAddress(wildPort, serve(true));
const server = createServer({ keepAliveTimeout: 60_000 }, serve(false));
server.listen({ port, host: "127.0.0.1", backlog: 4_096 });
process.on("SIGTERM", () => process.exit(0));

async function answer(request: IncomingMessage, response: ServerResponse, isWild: boolean): Promise<void> {
  if (request.method === "PUT" || request.url === "/counts") return wild.obey(request, response);
  if (request.method === "GET") {
    response.end("ready");
    return;
  }
  const body = JSON.parse(await readBody(request)) as ChatRequest;
  const instructions = readPrompt(body.messages[0]?.content ?? "");
  if (instructions === null) {
    response.writeHead(400).end("{}");
    return;
  }
  const remember: Remember = (facts) => {
    const line: UpstreamRecord = { nonce: instructions.nonce, model: body.model, ...facts, endedAtMs: Date.now() };
    writeSync(record, `${JSON.stringify(line)}\n`);
  };
  if (isWild) wild.counts.requests += 1;
  await pause(instructions.delayMs);
  if (isWild && (await misbehave(wild, body, instructions, response, remember))) return;
  if (body.stream === true) await stream(body, instructions, response, remember);
  else whole(body, instructions, response, remember);
}

function whole(body: ChatRequest, instructions: Instructions, response: ServerResponse, remember: Remember): void {
  const limit = body.max_tokens ?? body.max_completion_tokens;
  const tokens = body.model === "exact" ? (limit ?? 1) : instructions.chunks * instructions.tokensPerChunk;
  const reported = body.model === "silent" ? null : { input: REPORTED_INPUT_TOKENS, output: tokens };
  if (response.destroyed) return remember({ delivered: 0, isComplete: false, reported: null });
  const content = body.model === "exact" ? "done" : textOf(tokens);
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({
      id: instructions.nonce,
      object: "chat.completion",
      created: Math.floor(Date.now() / 1_000),
      model: body.model,
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      ...(reported !== null && { usage: usageOf(reported) }),
    }),
  );
  remember({ delivered: tokens, isComplete: true, reported });
}

async function stream(
  body: ChatRequest,
  instructions: Instructions,
  response: ServerResponse,
  remember: Remember,
): Promise<void> {
  let delivered = 0;
  let isOver = false;
  const base = { id: instructions.nonce, object: "chat.completion.chunk", created: 0, model: body.model };
  const send = (more: object) => response.write(`data: ${JSON.stringify({ ...base, ...more })}\n\n`);
  response.once("close", () => {
    if (!isOver) remember({ delivered, isComplete: false, reported: null });
    isOver = true;
  });
  response.writeHead(200, { "content-type": "text/event-stream" });
  const padding = instructions.padding === undefined ? {} : { obfuscation: "x".repeat(instructions.padding) };
  for (let chunk = 0; chunk < instructions.chunks && !isOver; chunk += 1) {
    if (chunk > 0) await pause(instructions.gapMs);
    if (isOver) return;
    const content = textOf(instructions.tokensPerChunk);
    delivered += instructions.tokensPerChunk;
    send({ choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }], ...padding });
  }
  if (isOver) return;
  send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  const reported = body.model === "silent" ? null : { input: REPORTED_INPUT_TOKENS, output: delivered };
  if (reported !== null) send({ choices: [], usage: usageOf(reported) });
  isOver = true;
  response.end("data: [DONE]\n\n");
  remember({ delivered, isComplete: true, reported });
}

const usageOf = ({ input, output }: { input: number; output: number }) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
