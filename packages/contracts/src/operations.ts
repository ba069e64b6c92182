import type { TSchema } from "typebox";

/** What an operation answers under one status. */
export interface AnswerDescription {
  readonly description: string;
  readonly schema?: TSchema;
  readonly contentType?: string;
  /** Other media types the answer may have, each of them text or bytes. */
  readonly otherTypes?: readonly string[];
  /** The same answer as server-sent events, one of these objects a frame. */
  readonly streamed?: TSchema;
}

/**
 * One row of the table of operations: policy, documentation and tests all read it. An entry without a limit or an
 * authentication mode does not type-check, so no route can be added without deciding them.
 */
export interface OperationDescription {
  readonly id: string;
  readonly summary: string;
  readonly tag:
    | "models"
    | "chat"
    | "messages"
    | "completions"
    | "embeddings"
    | "moderations"
    | "audio"
    | "images"
    | "rerank"
    | "responses"
    | "assistants"
    | "management"
    | "utilities"
    | "health"
    | "reference";
  readonly method: "GET" | "POST" | "DELETE";
  /** The first path is the canonical one, the others behave alike. `{name}` is a path parameter; a model's may hold slashes. */
  readonly paths: readonly string[];
  readonly auth: "key" | "none";
  /** What `allowed_routes` of a key may name besides the paths. What a key asks of itself, `self`, is open to every one. */
  readonly routeGroup: "inference" | "information" | "management" | "public" | "self";
  readonly billing: "priced" | "free";
  readonly bodyLimitBytes: number;
  readonly timeoutMs: number;
  readonly query?: TSchema;
  readonly pathParameters?: TSchema;
  readonly body?: TSchema;
  /** No body at all is the same as an empty object. */
  readonly isBodyOptional?: boolean;
  /** JSON where it says nothing else. */
  readonly bodyContentType?: string;
  /** The body on paths that name the model, where it need not. */
  readonly bodyUnderModelPath?: TSchema;
  readonly answers: Readonly<Record<number, AnswerDescription>>;
}

/** An operation's path without and with the version prefix. */
export function versionedPaths(path: string): readonly string[] {
  return [path, `/v1${path}`];
}

/** The four paths of an operation whose model may stand in the path. */
export function modelPaths(path: string): readonly string[] {
  return [...versionedPaths(path), `/engines/{model}${path}`, `/openai/deployments/{model}${path}`];
}
