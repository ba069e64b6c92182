import { expect, test } from "vitest";
import { SDKS } from "../../conformance/participant/play/subject.ts";
import { measureEcho } from "./measure-echo.ts";
import { measureFlood } from "./measure-flood.ts";

// `node tests/training/memory.ts` runs all measurements, including JSON.
test.each(SDKS)(
  "300 MB of parameters use at most 1.5 times their size in memory in the %s participant",
  async (sdk) => {
    const { times, most } = await measureEcho(sdk, { form: "frames", rawBytes: 300e6 }, 1.5);
    expect(times).toBeLessThanOrEqual(most);
    // A value below one would mean that the test measures something else.
    expect(times).toBeGreaterThan(0.9);
  },
  60_000,
);

test.each(SDKS)(
  "an endless body uses at most twice the limit in memory in the %s participant",
  async (sdk) => {
    const { times, most } = await measureFlood(sdk, "endless", 2);
    expect(times).toBeLessThanOrEqual(most);
  },
  60_000,
);
