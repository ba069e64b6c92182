import type { FuzzRequest } from "./fuzz-request.ts";
import type { Answer } from "./send-request.ts";

/** Why paths of one operation answered differently, or null. The time and the id of the answer may differ, and who met a time limit. */
export function compareTwins({ operation, isNamedTwice }: FuzzRequest, answers: readonly Answer[]): string | null {
  if (answers.some(({ status }) => status === 408)) return null;
  const hasParameter = (index: number) => operation.paths[index]?.includes("{") === true;
  for (let index = 1; index < answers.length; index += 1) {
    // A path with a model and one without are alike only when the body names that model too.
    const first =
      isNamedTwice || hasParameter(index) === hasParameter(0)
        ? 0
        : operation.paths.findIndex((path) => path.includes("{"));
    const [one, other] = [essenceOf(answers[first] as Answer), essenceOf(answers[index] as Answer)];
    if (one !== other) {
      return `${operation.paths[first]} and ${operation.paths[index]} disagree\n${one.slice(0, 300)}\n${other.slice(0, 300)}`;
    }
  }
  return null;
}

function essenceOf({ status, headers, body }: Answer): string {
  const text = body.replaceAll(/"created":\d+/g, '"created":0').replaceAll(/"request_id":"[^"]*"/g, '"request_id":""');
  return `${status} ${headers["content-type"]} ${headers["x-gw-error-name"] ?? ""} ${text}`;
}
