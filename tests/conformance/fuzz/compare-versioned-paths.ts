import type { FuzzRequest } from "./fuzz-request.ts";
import type { Answer } from "./send-request.ts";

/** Headers to compare. The other headers contain times, IDs, attempts, and remaining limits. */
const compared = [
  "content-type",
  "allow",
  "www-authenticate",
  "x-should-retry",
  "x-gw-error-name",
  "x-gw-model-id",
  "x-gw-model-group",
  "x-gw-response-cost-nano-usd",
  "x-gw-attempted-fallbacks",
];

/**
 * Returns how the responses on the paths of one operation differ, or null. Ignores times and IDs, and skips timeouts
 * and lost connections.
 */
export function compareVersionedPaths(
  { operation, isNamedTwice }: FuzzRequest,
  answers: readonly Answer[],
): string | null {
  if (answers.some(({ status, isCut }) => status === 408 || isCut)) return null;
  const hasParameter = (index: number) => operation.paths[index]?.includes("{") === true;
  for (let index = 1; index < answers.length; index += 1) {
    // A path with a model and one without are equivalent only if the body names the same model.
    const first =
      isNamedTwice || hasParameter(index) === hasParameter(0)
        ? 0
        : operation.paths.findIndex((path) => path.includes("{"));
    const [one, other] = [essenceOf(answers[first] as Answer), essenceOf(answers[index] as Answer)];
    if (one !== other) {
      const at = [...one].findIndex((letter, place) => letter !== other[place]);
      const near = (text: string) => `${text.slice(0, 200)} … ${text.slice(Math.max(0, at - 80), at + 200)}`;
      return `${operation.paths[first]} and ${operation.paths[index]} disagree\n${near(one)}\n${near(other)}`;
    }
  }
  return null;
}

function essenceOf({ status, headers, body }: Answer): string {
  const text = body
    .replaceAll(/"(created|created_at)":\d+/g, '"$1":0')
    .replaceAll(/"request_id":"[^"]*"/g, '"request_id":""')
    .replaceAll(/"((?:item_)?id)":"(resp|msg|rs|fc|ctc)_[0-9a-f]{32,36}"/g, '"$1":"$2"')
    .replaceAll(/"id":"(asst|thread)_[0-9A-Za-z]{24}"/g, '"id":"$1"');
  const reported = compared.map((name) => `${name}: ${String(headers[name] ?? "")}`);
  return `${status} ${reported.join(" ")} ${text}`;
}
