/**
 * Model group that callers request. Tollgate sends `upstreamModel` to the upstream and returns the group's name in the
 * response.
 */
export const groupModel = "bench-model";
export const upstreamModel = "upstream-model-1";
/** Model name suffix that makes the upstream hold the stream open. */
export const heldSuffix = "-held";
/** Model name suffix that makes the upstream return a long response. */
export const longSuffix = "-long";

const question =
  "A customer writes that the invoice of March shows two charges for one order, that the second was made eleven " +
  "minutes after the first, and that the order page lists a single delivery. Explain in plain words what probably " +
  "happened, what we check first, which of the two charges we give back and when the money arrives. Name the exact " +
  "steps for the support agent, in order, and say at which step finance has to be asked. Add one sentence " +
  "that the agent can paste into the answer as it stands. Keep it under 200 words.";
const manner =
  "You are the support assistant of a small shop that sells garden tools. You are friendly, brief and exact. You never " +
  "promise what the shop cannot keep, and you say so when something has to be looked up by a person.";

/**
 * Writes a chat request of about 900 bytes. Streaming requests ask for usage, so that every contestant relays the same
 * frames. `moreBytes` extends the conversation before the question.
 */
export function writeChatRequest(model: string, isStreamed: boolean, moreBytes = 0): Buffer {
  const earlier = {
    role: "user",
    content: question.repeat(Math.ceil(moreBytes / question.length)).slice(0, moreBytes),
  };
  const body = {
    model,
    messages: [
      { role: "system", content: manner },
      ...(moreBytes > 0 ? [earlier] : []),
      { role: "user", content: question },
    ],
    temperature: 0.2,
    max_tokens: 256,
    ...(isStreamed ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
  return Buffer.from(JSON.stringify(body));
}

/** Returns the request as bytes for a socket, head and body in one buffer. */
export function writeHttpRequest(url: URL, headers: Readonly<Record<string, string>>, body: Buffer): Buffer {
  const lines = [
    `POST ${url.pathname} HTTP/1.1`,
    `host: ${url.host}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body]);
}
