import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";

const program = join(import.meta.dirname, "../../../../tools/go/bin/stripe-mock");

/** True if stripe-mock is installed (`scripts/stripe-mock install`). */
export const hasStripeMock = existsSync(program);

/** Starts stripe-mock, which validates every request against Stripe's published API. */
export async function startStripeMock(): Promise<{ readonly url: string; stop(): void }> {
  const port = await findFreePort();
  const child: ChildProcess = spawn(program, ["-http-addr", `127.0.0.1:${port}`, "-https-addr", "127.0.0.1:0"], {
    stdio: "ignore",
  });
  const isListening = () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false));
    return promise.finally(() => socket.destroy());
  };
  await waitFor("stripe-mock to listen", isListening);
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}

type Behavior =
  | "answers"
  | "never answers"
  | "takes and says nothing"
  | "breaks off before"
  | "fails"
  | "is busy"
  | "refuses";

/** A minimal Stripe Checkout server that stores sessions by idempotency key and can simulate failures. */
export interface FakeStripe {
  readonly url: string;
  /** Behavior for subsequent requests. */
  behavior: Behavior;
  /** Created sessions by idempotency key. */
  readonly sessions: Map<string, Session>;
  readonly requests: {
    readonly path: string;
    readonly authorization: string | undefined;
    readonly form: URLSearchParams;
  }[];
  close(): Promise<void>;
}

interface Session {
  readonly id: string;
  status: "open" | "complete" | "expired";
  payment_status: "paid" | "unpaid";
  readonly fields: Readonly<Record<string, unknown>>;
}

export async function startFakeStripe(): Promise<FakeStripe> {
  const server = createServer((request, response) => void handle(fake, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fake: FakeStripe = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behavior: "answers",
    sessions: new Map(),
    requests: [],
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return fake;
}

async function handle(fake: FakeStripe, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  const path = request.url ?? "";
  fake.requests.push({ path, authorization: request.headers.authorization, form });
  if (fake.behavior === "breaks off before") return void request.socket.destroy();
  if (fake.behavior === "fails") return send(response, 500, { error: { type: "api_error", message: "sorry" } });
  if (fake.behavior === "is busy")
    return send(response, 409, { error: { type: "idempotency_error", message: "wait" } });
  if (fake.behavior === "refuses") {
    return send(response, 400, { error: { type: "invalid_request_error", message: "no such currency" } });
  }
  if (request.method === "GET") {
    const session = [...fake.sessions.values()].find(({ id }) => path.endsWith(id));
    return session === undefined
      ? send(response, 404, { error: { type: "invalid_request_error" } })
      : show(response, session);
  }
  const key = String(request.headers["idempotency-key"]);
  const session = fake.sessions.get(key) ?? makeSession(form, key);
  fake.sessions.set(key, session);
  if (fake.behavior === "never answers") return;
  if (fake.behavior === "takes and says nothing") return void request.socket.destroy();
  show(response, session);
}

function makeSession(form: URLSearchParams, key: string): Session {
  return {
    id: `cs_test_${key}`,
    status: "open",
    payment_status: "unpaid",
    fields: {
      client_reference_id: form.get("client_reference_id"),
      metadata: {
        purchase_id: form.get("metadata[purchase_id]"),
        organization_id: form.get("metadata[organization_id]"),
      },
      amount_total: Number(form.get("line_items[0][price_data][unit_amount]")),
      currency: form.get("line_items[0][price_data][currency]"),
      payment_intent: `pi_test_${key}`,
    },
  };
}

function show(response: ServerResponse, { fields, ...session }: Session): void {
  send(response, 200, { object: "checkout.session", url: `https://pay.example/${session.id}`, ...session, ...fields });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
