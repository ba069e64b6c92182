import { MalformedResponse } from "../provider.ts";

/** What went wrong: the upstream's own answer, or none that can be read. */
export type AdapterFailure =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: "broken"; readonly error: Error };

interface AdapterError {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly statusCode?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: unknown;
}

/** Errors of a package's own, by name, and the status they would have come with. */
const statuses: Readonly<Record<string, number>> = {
  AI_UnsupportedFunctionalityError: 400,
  AI_InvalidPromptError: 400,
  AI_InvalidArgumentError: 400,
  AI_TooManyEmbeddingValuesForCallError: 400,
  AI_NoSuchModelError: 404,
  AI_NoSuchProviderReferenceError: 400,
  // A key that is missing or wrong is the operator's.
  AI_LoadAPIKeyError: 401,
  AI_LoadSettingError: 401,
};
/** Answers that came and were none. */
const unreadableNames: ReadonlySet<string> = new Set([
  "AI_EmptyResponseBodyError",
  "AI_InvalidResponseDataError",
  "AI_JSONParseError",
  "AI_NoContentGeneratedError",
  "AI_TypeValidationError",
]);
const passedHeaders = ["retry-after", "retry-after-ms", "x-request-id"] as const;

/** What an error of an adapter means, whichever of the copies of its library it is from. */
export function readAdapterError(error: unknown): AdapterFailure {
  const { name, message, cause, statusCode, responseHeaders, responseBody } = (error ?? {}) as AdapterError;
  if (typeof statusCode === "number" && statusCode >= 400) {
    const headers = Object.fromEntries(
      passedHeaders.flatMap((header) => {
        const value = responseHeaders?.[header];
        return value === undefined ? [] : [[header, value]];
      }),
    );
    const body = typeof responseBody === "string" && responseBody !== "" ? responseBody : errorBody(message);
    return { kind: "answered", status: statusCode, headers, body };
  }
  const status = statuses[String(name)];
  if (status !== undefined) return { kind: "answered", status, headers: {}, body: errorBody(message) };
  if (!(error instanceof Error)) return reported(error);
  if (typeof statusCode === "number" || unreadableNames.has(String(name))) {
    return {
      kind: "broken",
      error: new MalformedResponse("the adapter could not parse the response", { cause: error }),
    };
  }
  // What our own connections said means what it means for every other call.
  return { kind: "broken", error: cause instanceof Error ? cause : error };
}

/** A failure inside a stream, in the upstream's own words. */
function reported(error: unknown): AdapterFailure {
  const { code, status } = (error ?? {}) as { readonly code?: unknown; readonly status?: unknown };
  const number = Number(status ?? code);
  const isStatus = Number.isInteger(number) && number >= 400 && number < 600;
  const said = typeof error === "object" && error !== null ? error : { message: String(error) };
  return { kind: "answered", status: isStatus ? number : 500, headers: {}, body: JSON.stringify({ error: said }) };
}

function errorBody(message: unknown): string {
  return JSON.stringify({ error: { message: typeof message === "string" ? message : "" } });
}
