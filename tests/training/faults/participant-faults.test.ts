import { expect, test } from "vitest";
import { SDKS } from "../../conformance/participant/play/subject.ts";
import { findParticipantFaults } from "./participant-faults.ts";

test.each(SDKS)(
  "a round of the %s participant is complete or absent after any crash",
  async (sdk) => {
    expect((await findParticipantFaults(sdk)).problems).toEqual([]);
  },
  60_000,
);
