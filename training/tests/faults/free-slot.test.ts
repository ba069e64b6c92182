import { expect, test } from "vitest";
import { Exchange } from "../../conformance/play/exchange.ts";
import { SDKS, Subject } from "../../conformance/play/subject.ts";
import type { RecordedRequest } from "../../conformance/recorded-case.ts";

const SMALL_CALLS = 200;
const LARGE_CALLS = 20;
/** Size of the parameters, large enough that the stored result is written to a file. */
const LARGE_BYTES = 2 * 1024 * 1024;

test.each(SDKS)(
  "a caller that has received a response from the %s participant can call again immediately",
  async (sdk) => {
    const subject = await Subject.start(sdk, {});
    try {
      const refused: string[] = [];
      for (const request of planCalls()) {
        const { status, body } = await new Exchange(subject.port, request).answer;
        if (status !== 200) refused.push(`${status} ${body.toString("utf8").slice(0, 200)}`);
      }
      expect(refused).toEqual([]);
    } finally {
      await subject.stop();
    }
  },
);

function* planCalls(): Iterable<RecordedRequest> {
  const call = { method: "POST", path: "/train" };
  for (let index = 0; index < SMALL_CALLS; index += 1) yield { ...call, body: { json: { parameters: "YWJj" } } };
  for (let index = 0; index < LARGE_CALLS; index += 1) {
    const headers = { "idempotency-key": `large-${index}` };
    yield { ...call, headers, body: { json: { config: { behavior: "big", bytes: LARGE_BYTES } } } };
  }
}
