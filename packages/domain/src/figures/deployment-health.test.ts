import { describe, expect, test } from "vitest";
import { healthOf, type LiveState } from "./deployment-health.ts";

const healthAt = (succeeded: number, failed: number, live: LiveState | null = "healthy") =>
  healthOf(live, { succeeded, failed });

describe("the health of a deployment", () => {
  test("follows from its error rate of the last hour", () => {
    expect([healthAt(0, 0), healthAt(95, 5), healthAt(94, 6), healthAt(3, 3)]).toEqual([
      "healthy",
      "healthy",
      "degraded",
      "down",
    ]);
    expect(healthAt(0, 2), "two failed requests are not enough for down").toBe("degraded");
  });

  test("is what a gateway reports if it is in cooldown or unusable", () => {
    expect(healthAt(100, 0, "cooling")).toBe("cooling");
    expect([healthAt(100, 0, "unhealthy"), healthAt(100, 0, "unusable")]).toEqual(["down", "down"]);
  });

  test("is unknown without requests and without a report", () => {
    expect([healthAt(0, 0, null), healthAt(0, 0, "unknown"), healthAt(1, 0, null)]).toEqual([
      "unknown",
      "unknown",
      "healthy",
    ]);
  });
});
