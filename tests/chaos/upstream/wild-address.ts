import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { ChatRequest, Instructions, Remember } from "./instructions.ts";
import type { Mood } from "./mood.ts";
import { WildCall } from "./wild-call.ts";

/** Number of ways to garble a response, which are used in turn. */
const GARBLES = 7;

/** Listener at which the upstream misbehaves on command, and its current behavior. */
export class WildAddress {
  mood: Mood = "well";
  readonly counts = { connections: 0, requests: 0 };
  readonly #port: number;
  readonly #handle: (request: IncomingMessage, response: ServerResponse) => void;
  #server: Server | null = null;

  constructor(port: number, handle: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#port = port;
    this.#handle = handle;
    this.#open();
  }

  /**
   * Handles a control request: returns the counts, or sets the behavior, which takes effect before the response is
   * sent.
   */
  obey(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== "PUT") {
      response.end(JSON.stringify(this.counts));
      return;
    }
    this.mood = (request.url ?? "").slice("/mood/".length) as Mood;
    // Let responses in progress finish, because interrupting them is a separate fault.
    if (this.mood === "refuses" || this.mood === "resets") this.#server?.closeIdleConnections();
    if (this.mood === "refuses") this.#close();
    else this.#open();
    response.writeHead(204).end();
  }

  #open(): void {
    if (this.#server !== null) return;
    this.#server = createServer({ keepAliveTimeout: 60_000 }, this.#handle);
    this.#server.on("connection", (socket) => {
      this.counts.connections += 1;
      if (this.mood === "resets") socket.resetAndDestroy();
    });
    this.#server.listen({ port: this.#port, host: "127.0.0.1", backlog: 4_096 });
  }

  #close(): void {
    this.#server?.close();
    this.#server = null;
  }
}

/**
 * Share of the calls that get a 503 or a 429. It is well above a half, from which on a deployment enters its cooldown:
 * at a half, chance decides when.
 */
const REFUSED_SHARE = 0.75;

/** Responds to a call according to the current behavior. Returns false if the call should be answered normally. */
export async function misbehave(
  wild: WildAddress,
  body: ChatRequest,
  instructions: Instructions,
  response: ServerResponse,
  remember: Remember,
): Promise<boolean> {
  const call = new WildCall(body, instructions, response, remember);
  switch (wild.mood) {
    case "well":
      return false;
    case "refuses":
    case "resets":
      call.hang();
      response.socket?.resetAndDestroy();
      return true;
    case "fails":
    case "limits":
      if (Math.random() >= REFUSED_SHARE) return false;
      call.refuse(wild.mood);
      return true;
    case "hangs":
      call.hang();
      return true;
    case "breaks":
      await call.sayHalf();
      response.socket?.resetAndDestroy();
      return true;
    case "stalls":
      await call.sayHalf();
      return true;
    case "drips":
      await call.drip();
      return true;
    case "rambles":
      await call.ramble();
      return true;
    case "garbles":
      await call.garble(wild.counts.requests % GARBLES);
      return true;
  }
}
