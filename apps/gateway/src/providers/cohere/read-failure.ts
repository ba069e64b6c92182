import { Failure } from "@tollgate/contracts/failures.ts";
import { readError } from "../openai/read-error.ts";
import { readOpenAiFailure } from "../openai/read-failure.ts";
import type { UpstreamHeaders } from "../provider.ts";
import { withoutControlCharacters } from "../shown-text.ts";

/** A key that is refused by a status of its own, and one of a call that was given up. */
const INVALID_TOKEN = 498;
const GIVEN_UP = 499;

/** What went wrong at Cohere, in our own terms. Only what is said of the request itself is passed on. */
export function readCohereFailure(status: number, headers: UpstreamHeaders, body: string): Failure {
  if (status === INVALID_TOKEN) return readOpenAiFailure(401, headers, body);
  if (status === GIVEN_UP) return readOpenAiFailure(503, headers, body);
  const { message } = readError(body);
  if (status === 400 && message !== null && /too many tokens|size limit exceeded/i.test(message)) {
    return new Failure("context_length_exceeded", withoutControlCharacters(message), {
      detail: { upstreamStatus: status },
    });
  }
  return readOpenAiFailure(status, headers, body);
}
