import { expect, test } from "vitest";
import { SDKS } from "../../conformance/play/subject.ts";
import { findParticipantFaults } from "./participant-faults.ts";

test.each(SDKS)("after any crash, a round of the %s participant is either complete or absent", async (sdk) => {
  expect((await findParticipantFaults(sdk)).problems).toEqual([]);
});
