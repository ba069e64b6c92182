import type { IncomingMessage } from "node:http";
import { type RequestOptions, request } from "node:https";

export interface Call {
  readonly port: number;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Local address that the call is made from. */
  readonly from?: string;
}

/** Starts a call through a proxy on a new connection. Resolves with the response headers. */
export function beginCall({ port, path, method, headers, body, from }: Call): Promise<IncomingMessage> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const options: RequestOptions = {
    host: "127.0.0.1",
    port,
    path,
    method: method ?? (text === undefined ? "GET" : "POST"),
    headers: {
      host: "gateway.example.com",
      ...(text !== undefined && {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(text)),
      }),
      ...headers,
    },
    servername: "gateway.example.com",
    rejectUnauthorized: false,
    agent: false,
    ...(from !== undefined && { localAddress: from }),
  };
  return new Promise((resolve, reject) => {
    const call = request(options, resolve);
    call.once("error", reject);
    call.end(text);
  });
}

/** Returns the complete response. */
export async function makeCall(call: Call): Promise<{ status: number; text: string }> {
  const answer = await beginCall(call);
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) text += chunk;
  return { status: answer.statusCode ?? 0, text };
}
