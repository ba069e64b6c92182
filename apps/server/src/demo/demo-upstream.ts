import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { AnswerControl, Transport } from "@tollgate/gateway/call/provider.ts";
import { providers } from "@tollgate/gateway/providers/registry.ts";
import { DEMO_MODELS } from "./demo-models.ts";

interface DemoUpstream {
  /** Base URL, as for a provider with OpenAI's API. */
  readonly url: string;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const PREFIX = "/v1";
const MAX_BODY_BYTES = 50 * 1_024 * 1_024;

/**
 * Starts a local provider that answers with simulated models under the names of real ones, so that the demo's models
 * can be called without a network or keys.
 */
export async function startDemoUpstream(): Promise<DemoUpstream> {
  const transport = createSimulatedTransport();
  const server = createServer((request, response) => {
    relay(request, response, transport).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${port}${PREFIX}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await transport.close();
    },
  };
}

function createSimulatedTransport(): Transport {
  const create = providers.get("sim")?.localTransport;
  if (create === undefined) throw new Error("the simulated provider is missing");
  return create();
}

async function relay(request: IncomingMessage, response: ServerResponse, transport: Transport): Promise<void> {
  const body = JSON.parse((await readBody(request)).toString("utf8")) as { readonly model: string };
  const known = DEMO_MODELS.find(({ upstreamModel }) => upstreamModel === body.model);
  const path = (request.url ?? "").slice(PREFIX.length);
  let control: AnswerControl | null = null;
  response.on("close", () => control?.abort());
  response.on("drain", () => control?.resume());
  try {
    transport.send(
      { path, headers: [], body: Buffer.from(JSON.stringify({ ...body, model: known?.simulated ?? body.model })) },
      {
        onStart: (started, status, headers) => {
          control = started;
          response.writeHead(status, headers as Record<string, string>);
        },
        onData: (chunk) => {
          // The bytes are valid only during this call.
          if (!response.write(Buffer.from(chunk))) control?.pause();
        },
        onEnd: () => void response.end(),
        onError: () => void response.destroy(),
      },
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    response.writeHead(error.status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: error.message, type: "invalid_request_error" } }));
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Error("the request is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
