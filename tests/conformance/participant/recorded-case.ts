/** Anything JSON can say. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** How the bytes of a body come about, so that a recorded request stays small enough to read. */
export type BodyRecipe =
  | { readonly json: Json }
  | { readonly text: string }
  | { readonly base64: string }
  | { readonly repeat: string; readonly times: number }
  | { readonly parts: readonly BodyRecipe[] }
  | { readonly gzip: BodyRecipe }
  | { readonly frames: FramesRecipe };

/** A frames body. What is left out is filled in truthfully; what is said is sent, true or not. */
export interface FramesRecipe {
  readonly header: Json;
  /** The text of each frame. */
  readonly content: readonly string[];
  readonly magic?: string;
  readonly headerLength?: number;
  readonly headerText?: string;
  readonly tail?: string;
}

/** One request as it goes over the socket. `{{name}}` stands for something that an earlier answer carried. */
export interface RecordedRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyRecipe;
  /** Sends the body in chunks and without a length. */
  readonly chunked?: boolean;
  /** Sends only so many bytes of the body and then waits for the answer. */
  readonly stopAfter?: number;
  /** Cuts the body into pieces of so many bytes, each a write of its own. */
  readonly pieces?: number;
  /** Instead of everything above: what is written, byte for byte. */
  readonly raw?: BodyRecipe;
}

/** What the answer must be. Everything that is named must hold. */
export interface ExpectedAnswer {
  readonly status: number;
  /** The whole body. `{"$matches": "…"}` stands for a string of that form. */
  readonly body?: Json;
  /** Some fields of the body. */
  readonly fields?: { readonly [key: string]: Json };
  /** The body is not JSON, or is to be equal to these bytes of text. */
  readonly text?: string;
  /** A frames body: its header without the list of frames, and the text of each frame. */
  readonly frames?: { readonly header: Json; readonly content: readonly string[] };
  /** Each SDK may say it as it likes. */
  readonly inOwnWords?: boolean;
  /** A text the header must match as a regular expression; null: it must be missing. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** What happens next in a case. */
export type Step =
  | {
      readonly send: RecordedRequest;
      readonly expect: ExpectedAnswer;
      /** Keeps fields of the answer's body, or headers when the name is in lower case with a dash, under a name. */
      readonly keep?: Readonly<Record<string, string>>;
      /** Sends it again until the answer is as expected. */
      readonly until?: boolean;
    }
  /** Sends a request and goes on; the answer is for a later step. */
  | { readonly begin: RecordedRequest; readonly as: string }
  | { readonly answerOf: string; readonly expect: ExpectedAnswer; readonly keep?: Readonly<Record<string, string>> }
  /** Cuts the connection of a request that was begun. */
  | { readonly leave: string }
  /** Lets a function that waits at this gate go on. */
  | { readonly open: string }
  /** Waits until a function stands at this gate. */
  | { readonly reached: string }
  | { readonly signal: "SIGTERM" | "SIGINT" }
  | { readonly exits: number };

/** A conversation that both SDKs must answer in the same words. */
export interface RecordedCase {
  readonly name: string;
  /** Which participant it is held with: a name in participants.json. */
  readonly with?: string;
  /** Starts a participant for this case alone, because the case leaves it changed or ends it. */
  readonly alone?: boolean;
  readonly steps: readonly Step[];
}

/** How a participant of the suite is started. Options are spelled as in TypeScript. */
export interface ParticipantProfile {
  readonly options?: { readonly [key: string]: Json };
  readonly environment?: Readonly<Record<string, string>>;
  /** Written before the start; `{folder}` in an option is where they are. */
  readonly files?: Readonly<Record<string, string>>;
  /** Left out: all three. */
  readonly functions?: readonly string[];
  /** Aggregates with the ready weighted mean instead of giving back the first entry. */
  readonly aggregator?: "fedavg";
}
