import { ApiError } from "@tollgate/sdk/platform";

export interface DescribedError {
  /** What went wrong, as a sentence for the person in front of it. */
  readonly message: string;
  readonly requestId: string | null;
  /** The page about this error; only an address a browser may follow. */
  readonly docUrl: string | null;
  /** The person lacks a role: showing it again as an error helps nobody. */
  readonly isNotAllowed: boolean;
}

/** What is known about a failure, in words. A network failure has no request id: nothing answered. */
export function describeError(error: unknown): DescribedError {
  if (error instanceof ApiError) {
    return {
      message:
        [error.message, error.fix]
          .filter((text) => text !== null)
          .map(withPeriod)
          .join(" ") + retryHint(error.retryAfterSeconds),
      requestId: error.requestId,
      docUrl: /^https?:\/\//.test(error.docUrl ?? "") ? error.docUrl : null,
      isNotAllowed: error.status === 403,
    };
  }
  return { message: plainMessage(error), requestId: null, docUrl: null, isNotAllowed: false };
}

function plainMessage(error: unknown): string {
  if (error instanceof DOMException && (error.name === "TimeoutError" || error.name === "AbortError")) {
    return "The server did not respond in time.";
  }
  // What `fetch` throws when no answer came; its own text differs from browser to browser.
  if (error instanceof TypeError) return "Could not reach the server. Check your connection.";
  return error instanceof Error ? withPeriod(error.message) : "Unknown error.";
}

function retryHint(seconds: number | null): string {
  return seconds === null ? "" : ` Try again in ${seconds} s.`;
}

function withPeriod(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
