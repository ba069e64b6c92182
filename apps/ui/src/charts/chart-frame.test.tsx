import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { watchDownloads } from "../testing/watch-downloads.fixture.ts";
import { ChartFrame } from "./chart-frame.tsx";

const TABLE = { head: ["Day", "Cost"], rows: [["Sun 1 Nov", "$0.12"]], foot: ["Total", "$0.12"] };
const EXACT = { head: ["Day", "Cost"], rows: [["2026-11-01", "0.123456789"]] };

function renderFrame(look: { readonly isCompact?: boolean } = {}): void {
  const facts = { zone: "Asia/Tokyo", summary: "Spend: $0.12.", table: TABLE, csv: EXACT, fileName: "spend" };
  render(
    <ChartFrame title="Spend" {...facts} {...look}>
      <p>The chart</p>
    </ChartFrame>,
  );
}

test("names the time zone, and summarizes the chart for screen readers", () => {
  renderFrame();
  screen.getByText("times in Asia/Tokyo");
  screen.getByText("Spend: $0.12.");
});

test("leaves the time zone to the page if the frame is narrow", () => {
  renderFrame({ isCompact: true });
  expect(screen.queryByText("times in Asia/Tokyo")).toBeNull();
});

test("shows the values as a table instead of the chart, and back", () => {
  renderFrame();
  fireEvent.click(screen.getByRole("button", { name: "Show as table" }));
  expect(screen.queryByText("The chart")).toBeNull();
  expect(screen.getAllByRole("row").map(({ textContent }) => textContent)).toEqual([
    "DayCost",
    "Sun 1 Nov$0.12",
    "Total$0.12",
  ]);
  fireEvent.click(screen.getByRole("button", { name: "Show as chart" }));
  screen.getByText("The chart");
});

test("the file has the exact values and names the time zone", async () => {
  const downloads = watchDownloads();
  renderFrame();
  fireEvent.click(screen.getByRole("button", { name: "Download CSV" }));
  expect(downloads.map(({ name }) => name)).toEqual(["spend.csv"]);
  expect(await downloads[0]?.content.text()).toBe("Day (Asia/Tokyo),Cost\r\n2026-11-01,0.123456789\r\n");
});
