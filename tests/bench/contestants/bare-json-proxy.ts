import type { ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import { endWithClient, forwardPosts } from "./forward-posts.ts";

// Program: the baseline for all JSON ratios. A minimal Node proxy that buffers the response and sends it in one write.

class BufferedAnswer implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;
  readonly #parts: Buffer[] = [];
  #status = 0;
  #contentType = "";

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    endWithClient(this.#response, controller);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    this.#status = status;
    this.#contentType = String(headers["content-type"]);
  }

  onResponseData(_: Dispatcher.DispatchController, data: Buffer): void {
    this.#parts.push(data);
  }

  onResponseEnd(): void {
    const body = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    this.#response.writeHead(this.#status, { "content-type": this.#contentType, "content-length": body?.length ?? 0 });
    this.#response.end(body);
  }

  onResponseError(): void {
    if (!this.#response.destroyed) this.#response.writeHead(502).end();
  }
}

forwardPosts((response) => new BufferedAnswer(response));
