import { type Behavior, reply, replyRaw, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { playConversation } from "../../conformance/stage/play-conversation.ts";
import { canaries } from "./canaries.ts";

/** Text in a request that makes the upstream fail in the given way. */
export const askToFail = (how: string): string => `go wrong: ${how};`;

/** Ways in which the upstream can fail. Each error message contains the credential that the upstream received. */
export const failureKinds = [
  ...[400, 401, 403, 404, 408, 409, 418, 422, 429, 500, 502, 503].map(String),
  "text",
  "html",
  "garbage",
  "redirect",
  "no http",
  "cut",
  "frame",
  "half",
] as const;

/**
 * An upstream that responds correctly unless the request asks for a failure. The error message then repeats the
 * credential.
 */
export const tellTales: Behavior = (exchange) => {
  const asked = exchange.request.body.toString("utf8");
  const how = /go wrong: ([^;]+);/.exec(asked)?.[1];
  if (how === undefined) return playConversation(exchange);
  const { headers } = exchange.request;
  const key = String(headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers.authorization ?? "");
  const message = `Incorrect: ${key}. See https://upstream.example/?key=${encodeURIComponent(key)}`;
  return misbehave(how, message)(exchange);
};

function misbehave(how: string, message: string): Behavior {
  const reported = `${message} The prompt was ${canaries.prompt}.`;
  const body = { error: { message, type: message, code: message, param: message }, message, detail: message };
  switch (how) {
    case "text":
      return reply(500, reported, { "content-type": "text/plain" });
    case "html":
      return reply(503, `<html>${reported}</html>`, { "content-type": "text/html" });
    case "garbage":
      return reply(200, `{"choices": ${reported}`);
    case "redirect":
      return reply(307, "", { location: `http://127.0.0.1:1/?key=${encodeURIComponent(message)}` });
    case "no http":
      return replyRaw(`${reported}\r\n\r\n`, { thenClose: true });
    case "cut":
      return ({ cut }) => cut();
    case "frame":
      return streamFrames([`data: ${JSON.stringify({ error: { ...body.error, code: 400 } })}\n\n`]);
    case "half":
      return streamFrames(
        [`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "half" } }] })}\n\n`, reported],
        {
          cutAfterFrames: 2,
        },
      );
    default: {
      const status = Number(how);
      // The gateway forwards an upstream's error message to the caller for a client error, but not for a server error.
      return reply(status, status < 500 ? body : { error: { message: reported } }, { "x-request-id": "req_1" });
    }
  }
}
