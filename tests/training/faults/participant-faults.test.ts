import { expect, test } from "vitest";
import { SDKS } from "../../conformance/participant/play/subject.ts";
import { findParticipantFaults } from "./participant-faults.ts";

test.each(SDKS)(
  "a round of the %s participant is whole or absent, whoever dies",
  async (sdk) => {
    expect((await findParticipantFaults(sdk)).problems).toEqual([]);
  },
  60_000,
);
