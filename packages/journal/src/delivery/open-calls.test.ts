import fc from "fast-check";
import { expect, test } from "vitest";
import { openedOf } from "./bare-closing.fixture.ts";
import { OpenCalls } from "./open-calls.ts";

test("keeps the segment of every open call, however many calls open and close", () => {
  const step = fc.record({ call: fc.nat({ max: 3_000 }), segment: fc.nat({ max: 5 }), opens: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), fc.nat({ max: 3_000 }), (steps, openAtStart) => {
      const calls = new OpenCalls();
      const expected = new Map<number, number>();
      // More calls than the table has space for at first.
      for (let call = 0; call < openAtStart; call += 1) {
        calls.add(openedOf([`call ${call}`]), 0, 9);
        expected.set(call, 9);
      }
      for (const { call, segment, opens } of steps) {
        const id = openedOf([`call ${call}`]);
        const answer = opens ? calls.add(id, 0, segment) : calls.remove(id, 0);
        expect(answer).toBe(expected.get(call) ?? null);
        if (opens) expected.set(call, segment);
        else expected.delete(call);
      }
    }),
    { numRuns: 40 },
  );
});
