import { render } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Time } from "./time.tsx";
import { ZoneContext } from "./zone.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: new Date("2026-11-12T14:05:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

function show(element: Parameters<typeof render>[0]) {
  const { container } = render(<ZoneContext value="America/New_York">{element}</ZoneContext>);
  const time = container.querySelector("time");
  return { text: container.textContent, title: time?.title, dateTime: time?.dateTime };
}

test("shows times in the zone of the page, and the exact time with its zone in the title", () => {
  expect(show(<Time at="2026-11-12T03:04:05.678Z" form="minute" />)).toEqual({
    text: "11 Nov 2026, 22:04",
    title: "11 Nov 2026, 22:04:05.678 America/New_York",
    dateTime: "2026-11-12T03:04:05.678Z",
  });
});

test("a zone of its own takes precedence over the zone of the page", () => {
  expect(show(<Time at="2026-11-12T03:04:05Z" form="second" zone="Asia/Kolkata" />).text).toBe("12 Nov 2026, 08:34:05");
});

test("a relative time counts from now", () => {
  expect(show(<Time at="2026-11-12T14:03:00Z" />).text).toBe("2 min ago");
});

test("a time after the last tick of the clock is not in the future", () => {
  expect(show(<Time at="2026-11-12T14:05:00Z" />).text).toBe("just now");
});

test("a relative time that is a date is the date in the zone of the page", () => {
  expect(show(<Time at="2026-09-02T02:00:00Z" />)).toMatchObject({
    text: "1 Sept 2026",
    title: "1 Sept 2026, 22:00:00.000 America/New_York",
  });
});

test("a missing time is shown as Never", () => {
  expect(show(<Time at={null} />).text).toBe("Never");
});
