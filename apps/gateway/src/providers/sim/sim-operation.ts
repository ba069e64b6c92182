import type { UpstreamRequest } from "../../call/provider.ts";
import type { SimModel } from "./sim-model.ts";

/** A request to a simulated model. */
export interface SimInput<Body> {
  readonly model: string;
  readonly body: Body;
  /** The main input of the request, such as the prompt. Models with a failure rate always fail for the same inputs. */
  readonly subject: unknown;
}

/** A reply, either complete or streamed at the pace that the model's name sets. */
export type SimReply =
  | { readonly kind: "whole"; readonly contentType: string; readonly body: string | Buffer }
  | {
      readonly kind: "stream";
      readonly contentType: string;
      readonly pieces: Iterator<string | Buffer>;
      /** Text that is sent with the end of the stream. */
      readonly closing: string | null;
    };

/** One operation of the simulated upstream. */
export interface SimOperation<Body = unknown> {
  /**
   * Models that support the operation. The failing and slow models aren't listed, because they support every operation.
   */
  readonly models: ReadonlySet<string>;
  read(request: UpstreamRequest): SimInput<Body> | Promise<SimInput<Body>>;
  reply(model: SimModel, body: Body, nowMs: number): SimReply;
}

/** Creates a complete JSON reply. */
export function jsonReply(body: string): SimReply {
  return { kind: "whole", contentType: "application/json", body };
}

/** Creates a stream of frames with the usual closing frame. */
export function eventReply(frames: Iterator<string>): SimReply {
  return { kind: "stream", contentType: "text/event-stream", pieces: frames, closing: "data: [DONE]\n\n" };
}

/** Reads a JSON request. `subject` is the name of the member that contains the main input. */
export function readJson<Body extends object>(request: UpstreamRequest, subject: keyof Body): SimInput<Body> {
  const body = JSON.parse(request.body.toString("utf8")) as Body & { readonly model: string };
  return { model: body.model, body, subject: body[subject] };
}
