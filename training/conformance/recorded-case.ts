/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Recipe for a body, so that a recorded request stays readable. */
export type BodyRecipe =
  | { readonly json: Json }
  | { readonly text: string }
  | { readonly base64: string }
  | { readonly repeat: string; readonly times: number }
  | { readonly parts: readonly BodyRecipe[] }
  | { readonly gzip: BodyRecipe }
  | { readonly frames: FramesRecipe };

/** A frames body. Omitted fields get correct values, and given fields are sent even if they are wrong. */
export interface FramesRecipe {
  readonly header: Json;
  /** Text of each frame. */
  readonly content: readonly string[];
  readonly magic?: string;
  readonly headerLength?: number;
  readonly headerText?: string;
  readonly tail?: string;
}

/** One request as sent on the socket. `{{name}}` stands for a value from an earlier response. */
export interface RecordedRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyRecipe;
  /** Sends the body in chunked encoding, without a content length. */
  readonly chunked?: boolean;
  /** Sends only this many bytes of the body, then waits for the response. */
  readonly stopAfter?: number;
  /** Writes the body in pieces of this many bytes. */
  readonly pieces?: number;
  /** Exact bytes to send, instead of the fields above. */
  readonly raw?: BodyRecipe;
}

/** Expected response. All given fields must match. */
export interface ExpectedAnswer {
  readonly status: number;
  /** Complete body. `{"$matches": "…"}` is a string that matches this pattern. */
  readonly body?: Json;
  /** Expected subset of the body's fields. */
  readonly fields?: { readonly [key: string]: Json };
  /** Expected body as text, for bodies that are not JSON or must match exactly. */
  readonly text?: string;
  /** Expected frames body: its header without the frame list, and the text of each frame. */
  readonly frames?: { readonly header: Json; readonly content: readonly string[] };
  /** True if each SDK may use its own wording. */
  readonly inOwnWords?: boolean;
  /** Regular expressions that headers must match; null if the header must be absent. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** One step of a case. */
export type Step =
  | {
      readonly send: RecordedRequest;
      readonly expect: ExpectedAnswer;
      /**
       * Saves values for later steps, by variable name. A lowercase source name with a dash refers to a header, and any
       * other source name to a body field.
       */
      readonly keep?: Readonly<Record<string, string>>;
      /** Repeats the request until the response matches `expect`. */
      readonly until?: boolean;
    }
  /** Sends a request and continues. A later step reads the response. */
  | { readonly begin: RecordedRequest; readonly as: string }
  | { readonly answerOf: string; readonly expect: ExpectedAnswer; readonly keep?: Readonly<Record<string, string>> }
  /** Resets the connection of a pending request. */
  | { readonly leave: string }
  /** Releases a function that waits at this gate. */
  | { readonly open: string }
  /** Waits until a function has reached this gate. */
  | { readonly reached: string }
  | { readonly signal: "SIGTERM" | "SIGINT" }
  | { readonly exits: number };

/** A conversation to which both SDKs must respond identically. */
export interface RecordedCase {
  readonly name: string;
  /** Name of the participant in participants.json. */
  readonly with?: string;
  /** Starts a separate participant for this case, because the case changes or stops it. */
  readonly alone?: boolean;
  readonly steps: readonly Step[];
}

/** Startup options for a participant in the suite, under their TypeScript names. */
export interface ParticipantProfile {
  readonly options?: { readonly [key: string]: Json };
  readonly environment?: Readonly<Record<string, string>>;
  /** Files to write before the participant starts. `{folder}` in an option stands for the folder that contains them. */
  readonly files?: Readonly<Record<string, string>>;
  /** Functions that the participant offers; all three by default. */
  readonly functions?: readonly string[];
  /** Aggregates with the built-in weighted mean instead of returning the first entry. */
  readonly aggregator?: "fedavg";
}
