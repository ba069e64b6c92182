import { expect, test } from "vitest";
import { SDKS } from "../../conformance/play/subject.ts";
import { measureEcho } from "./measure-echo.ts";
import { measureFlood } from "./measure-flood.ts";

// `node training/tests/memory.ts` runs all measurements, including JSON.
test.each(SDKS)(
  "with 300 MB of parameters, the memory of the %s participant grows by at most 1.5 times their size",
  async (sdk) => {
    const { times, most } = await measureEcho(sdk, { form: "frames", rawBytes: 300e6 }, 1.5);
    expect(times).toBeLessThanOrEqual(most);
    // A value far below one would mean that the measurement is wrong.
    expect(times).toBeGreaterThan(0.9);
  },
  60_000,
);

test.each(SDKS)(
  "with an endless body, the memory of the %s participant grows by at most twice the body limit",
  async (sdk) => {
    const { times, most } = await measureFlood(sdk, "endless", 2);
    expect(times).toBeLessThanOrEqual(most);
  },
  60_000,
);
