import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Histogram } from "./histogram.tsx";

const BUCKETS = [
  { at: "2026-11-12T23:00:00.000Z", succeeded: 6, failed: 3, refused: 2, rejected: 0, canceled: 1 },
  { at: "2026-11-12T23:30:00.000Z", succeeded: 3, failed: 0, refused: 0, rejected: 1, canceled: 0 },
  { at: "2026-11-13T00:00:00.000Z", succeeded: 0, failed: 1, refused: 0, rejected: 0, canceled: 0 },
];

const slider = () => screen.getByRole("slider");

test("each request counts once, in its class", () => {
  render(<Histogram bucketMinutes={30} buckets={BUCKETS} zone="UTC" />);
  expect(document.querySelector("figcaption")?.textContent).toBe(
    "Requests per 30 minutes, UTCSucceeded 9Canceled 1Rejected 1Refused 2Failed 4",
  );
  fireEvent.focus(slider());
  fireEvent.keyDown(slider(), { key: "Home" });
  expect(slider().getAttribute("aria-valuetext")).toBe(
    "Thu 12 Nov, 23:00: 12, Succeeded 6, Canceled 1, Refused 2, Failed 3",
  );
});

test("bars are labeled with times in the zone", () => {
  render(<Histogram bucketMinutes={30} buckets={BUCKETS} zone="Europe/Berlin" />);
  expect(slider().getAttribute("aria-valuetext")).toBe("Fri 13 Nov, 01:00: 1");
});

test("a selected range ends at the end of the last bar", () => {
  const onRange = vi.fn();
  render(<Histogram bucketMinutes={30} buckets={BUCKETS} zone="UTC" onRange={onRange} />);
  fireEvent.focus(slider());
  fireEvent.keyDown(slider(), { key: "ArrowLeft", shiftKey: true });
  fireEvent.keyDown(slider(), { key: "Enter" });
  expect(onRange.mock.calls).toEqual([[new Date("2026-11-12T23:30:00Z"), new Date("2026-11-13T00:30:00Z")]]);
});
