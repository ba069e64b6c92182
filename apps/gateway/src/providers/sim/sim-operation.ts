import type { UpstreamRequest } from "../provider.ts";
import type { SimModel } from "./sim-model.ts";

/** What a simulated model was asked. */
export interface SimInput<Body> {
  readonly model: string;
  readonly body: Body;
  /** What the request is about; models that fail now and then fail for the same ones again. */
  readonly subject: unknown;
}

/** What it answers: all at once, or piece by piece at the model's own pace. */
export type SimReply =
  | { readonly kind: "whole"; readonly contentType: string; readonly body: string | Buffer }
  | {
      readonly kind: "stream";
      readonly contentType: string;
      readonly pieces: Iterator<string | Buffer>;
      /** Sent with the end. */
      readonly closing: string | null;
    };

/** One operation of the simulated upstream. */
export interface SimOperation<Body = unknown> {
  /** Models that do it, besides those that fail, stall or break off, which do so in every operation. */
  readonly models: ReadonlySet<string>;
  read(request: UpstreamRequest): SimInput<Body> | Promise<SimInput<Body>>;
  reply(model: SimModel, body: Body, nowMs: number): SimReply;
}

/** A whole answer in JSON. */
export function jsonReply(body: string): SimReply {
  return { kind: "whole", contentType: "application/json", body };
}

/** A stream of frames that ends with the usual mark. */
export function eventReply(frames: Iterator<string>): SimReply {
  return { kind: "stream", contentType: "text/event-stream", pieces: frames, closing: "data: [DONE]\n\n" };
}

/** The request of an operation whose body is JSON. `subject` names the member it is about. */
export function readJson<Body extends object>(request: UpstreamRequest, subject: keyof Body): SimInput<Body> {
  const body = JSON.parse(request.body.toString("utf8")) as Body & { readonly model: string };
  return { model: body.model, body, subject: body[subject] };
}
