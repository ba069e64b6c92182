import type { ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import { endWithClient, forwardPosts } from "./forward-posts.ts";

// Program: the baseline for all stream ratios. Forwards each chunk of the upstream's response unchanged, with
// backpressure.

class BytePipe implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    endWithClient(this.#response, controller);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    this.#response.writeHead(status, { "content-type": String(headers["content-type"]) });
  }

  onResponseData(controller: Dispatcher.DispatchController, data: Buffer): void {
    if (this.#response.write(data)) return;
    controller.pause();
    this.#response.once("drain", () => controller.resume());
  }

  onResponseEnd(): void {
    this.#response.end();
  }

  onResponseError(): void {
    if (this.#response.headersSent) this.#response.destroy();
    else this.#response.writeHead(502).end();
  }
}

forwardPosts((response) => new BytePipe(response));
